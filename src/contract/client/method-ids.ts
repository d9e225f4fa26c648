const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const singular = (group: string) => group.replace(/ies$/, 'y').replace(/s$/, '')

/** The id of a client's method where it follows from its name: `companies.create` is `create_company`, `companies.getMany` is `get_many_companies`. */
export const regularId = (group: string, verb: string) => `${snake(verb)}_${snake(verb === 'getMany' ? group : singular(group))}`

/** The id of a method as METHODS has it: empty where it is the regular one, which keeps the client small. */
export const methodId = (group: string, verb: string, id: string) => id || regularId(group, verb)
