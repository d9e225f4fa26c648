const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const singular = (group: string) => group.replace(/ies$/, 'y').replace(/s$/, '')

/** The id of a client's method where it follows from its name: `companies.create` is `create_company`, `companies.getMany` is `get_many_companies`. */
export const regularId = (group: string, verb: string) => `${snake(verb)}_${snake(verb === 'getMany' ? group : singular(group))}`

/** The methods of a group as METHODS has them, each with the id of its operation. One text for all of them keeps the client small. */
export const methodsIn = (group: string, methods: string): (readonly [verb: string, id: string])[] =>
  methods.split(' ').map((method) => {
    const [verb = '', id] = method.split('=')
    return [verb, id ?? regularId(group, verb)]
  })
