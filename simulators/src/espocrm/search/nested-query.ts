/** A query in PHP's notation, such as `where[0][type]=equals`. Lists are objects with numbers as names. */
export interface Nested {
  [name: string]: Nested | string
}

/** PHP's limit of parameters. */
const MOST = 1000
const DEEPEST = 64

export function nestedQuery(query: URLSearchParams): Nested {
  const root = empty()
  let count = 0
  for (const [key, value] of query) {
    if (++count > MOST) break
    const opening = key.indexOf('[')
    const names = opening > 0 ? [key.slice(0, opening), ...[...key.slice(opening).matchAll(/\[([^\]]*)\]/g)].map(([, name = '']) => name)] : [key]
    if (names.length <= DEEPEST) put(root, names, value)
  }
  return root
}

function put(root: Nested, names: string[], value: string): void {
  let place = root
  for (const [index, segment] of names.entries()) {
    const name = segment === '' ? String(Object.keys(place).length) : segment
    if (index === names.length - 1) place[name] = value
    else {
      const next = place[name]
      const inner = typeof next === 'object' ? next : empty()
      place[name] = inner
      place = inner
    }
  }
}

/** Without a prototype, so that names such as `__proto__` are plain members. */
const empty = (): Nested => Object.create(null)

/** A list from JSON or from PHP's notation. */
export function listIn(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value
  return typeof value === 'object' && value !== null ? Object.values(value) : undefined
}

export const nonEmptyText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
