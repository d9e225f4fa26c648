import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow'

type Values = { readonly [name: string]: unknown }

/** Whether n8n shows a parameter, and so gives it its default: by the values beside it, as `displayOptions` says. `@tool` is whether the node is an agent's. */
export function isDisplayed({ displayOptions: { show = {}, hide = {} } = {} }: INodeProperties, values: Values): boolean {
  const has = ([name, allowed]: [string, unknown[]]) => allowed.includes(values[name] ?? (name === '@tool' ? false : undefined))
  return Object.entries(show).every(has) && !Object.entries(hide).some(has)
}

/** The parameters of a node as n8n hands them over: defaults filled in, and nothing that the node does not have. */
export function withDefaults(properties: readonly INodeProperties[], given: Values, path = ''): { [name: string]: unknown } {
  const values: { [name: string]: unknown } = { ...given }
  // What decides whether others are shown comes before them.
  for (const property of properties) if (isDisplayed(property, values) && !(property.name in values)) values[property.name] = property.default
  const shown = new Map(properties.filter((property) => isDisplayed(property, values)).map((property) => [property.name, property]))
  for (const name of Object.keys(given)) {
    const property = shown.get(name)
    if (!property) throw new Error(`The node has no parameter ${path}${name} here.`)
    values[name] = inside(property, given[name], `${path}${name}.`)
  }
  return values
}

function inside({ type, options = [], typeOptions }: INodeProperties, value: unknown, path: string): unknown {
  if (type === 'collection') {
    for (const name of Object.keys(value as object)) if (!options.some((one) => one.name === name)) throw new Error(`The node has no parameter ${path}${name}.`)
    return value
  }
  if (type !== 'fixedCollection') return value
  if (!typeOptions?.multipleValues) throw new Error(`${path} takes one value only.`)
  return Object.fromEntries(
    Object.entries(value as { [group: string]: Values[] }).map(([group, entries]) => {
      const found = options.find(({ name }) => name === group) as INodePropertyCollection | undefined
      if (!found) throw new Error(`The node has no group ${path}${group}.`)
      return [group, entries.map((entry) => withDefaults(found.values, entry, `${path}${group}.`))]
    }),
  )
}
