import type { ShownRequest } from './request.ts'

const WIDTH = 100

/** The call with the SDK, with the key in the variable CRM_KEY. */
export function typescriptOf({ operation, input, baseUrl, idempotencyKey, dryRun }: ShownRequest): string {
  const options = { ...(idempotencyKey && { idempotencyKey }), ...(dryRun && { dryRun }) }
  const words = [
    ...(Object.keys(input).length > 0 || Object.keys(options).length > 0 ? [literal(input)] : []),
    ...(Object.keys(options).length > 0 ? [literal(options)] : []),
  ]
  return [
    "import { connect } from 'crm-connector'",
    '',
    `const crm = connect({ baseUrl: ${textLiteral(baseUrl)}, key: process.env.CRM_KEY ?? '' })`,
    `const answer = await crm.${operation.method}(${words.join(', ')})`,
    'console.log(answer)',
  ].join('\n')
}

/** A value as a TypeScript literal, in one line where it fits. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return textLiteral(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const deeper = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((one) => literal(one, deeper))
    : Object.entries(value).map(([name, one]) => `${nameLiteral(name)}: ${literal(one, deeper)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return open + close
  const gap = open === '{' ? ' ' : ''
  const line = `${open}${gap}${parts.join(', ')}${gap}${close}`
  if (line.length + indent.length <= WIDTH && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${deeper}${part},\n`).join('')}${indent}${close}`
}

/** A literal for a name: `__proto__` would set the prototype unless it is computed. */
function nameLiteral(name: string): string {
  if (name === '__proto__') return "['__proto__']"
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : textLiteral(name)
}

/** JSON has escaped everything else; only the quotes and two line separators differ. */
function textLiteral(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'").replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`
}
