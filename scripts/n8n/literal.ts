const WIDTH = 160

/** A value as TypeScript, laid out as the formatter would lay it out. `before` is how much stands on the same line already. */
export function literal(value: unknown, indent = '', before = 0): string {
  const line = isFlat(value) ? inline(value) : undefined
  // Room for the comma behind.
  if (line !== undefined && (before + line.length < WIDTH || value === null || typeof value !== 'object')) return line
  const inner = `${indent}  `
  if (Array.isArray(value)) return `[\n${value.map((member) => `${inner}${literal(member, inner, inner.length)},\n`).join('')}${indent}]`
  const members = membersOf(value as object).map(([name, member]) => {
    const head = `${inner}${nameOf(name)}: `
    const text = literal(member, inner, head.length)
    // A text that is too long stands on a line of its own, unless its name is so short that little is gained.
    return typeof member === 'string' && head.length + text.length >= WIDTH && nameOf(name).length >= 5
      ? `${head.trimEnd()}\n${inner}  ${text},\n`
      : `${head}${text},\n`
  })
  return `{\n${members.join('')}${indent}}`
}

/** Several objects get a line each. */
function isFlat(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 1 ? isFlat(value[0]) : value.every((member) => member === null || typeof member !== 'object')
  return value === null || typeof value !== 'object' || membersOf(value).every(([, member]) => isFlat(member))
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (value !== null && typeof value === 'object') {
    const members = membersOf(value).map(([name, member]) => `${nameOf(name)}: ${inline(member)}`)
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
  }
  return typeof value === 'string' ? quoted(value) : String(value)
}

const membersOf = (value: object) => Object.entries(value).filter(([, member]) => member !== undefined)

const nameOf = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name))

/** In single quotes, unless double ones need no escape. */
function quoted(text: string): string {
  if (text.includes("'") && !text.includes('"')) return JSON.stringify(text)
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
