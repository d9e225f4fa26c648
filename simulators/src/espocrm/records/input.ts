import type { Access } from '../access.ts'
import { failure, invalid } from '../errors.ts'
import { type Attribute, type Kind, shapeOf } from '../scopes/attributes.ts'
import type { Field, Scope } from '../scopes/definition.ts'
import type { Values } from '../store.ts'

const WRITABLE: ReadonlySet<Kind> = new Set(['stored', 'secret', 'linkId', 'echo', 'manyIds', 'manyColumns', 'data', 'flag', 'role'])
const NEVER = new Set(['id', 'deleted'])

/**
 * The writable attributes of a body. Unknown, read-only and hidden ones are ignored, as EspoCRM does. Texts are trimmed; empty ones become null.
 */
export function readInput(access: Access, scope: Scope, data: Values, isNew: boolean): Values {
  const hidden = access.hidden(scope, 'edit')
  const given: Values = Object.create(null)
  for (const attribute of shapeOf(scope).attributes.values()) {
    const { name } = attribute
    if (!Object.hasOwn(data, name) || !WRITABLE.has(attribute.kind) || NEVER.has(name) || hidden.has(name)) continue
    const field = scope.fields[attribute.field]
    if (!field || field.readOnly || (!isNew && field.readOnlyAfterCreate)) continue
    given[name] = sanitized(scope, attribute, field, data[name])
  }
  return given
}

function sanitized(scope: Scope, { name, field, kind }: Attribute, { type, isCustom }: Field, value: unknown): unknown {
  if (kind === 'flag') return isTrue(value)
  // The column of a Boolean that was made in the administration takes no null.
  if (value === null && type === 'bool' && isCustom) throw failure()
  if (value === null) return kind === 'manyIds' || kind === 'echo' || kind === 'data' ? [] : null
  if (kind === 'manyIds' || kind === 'echo') {
    if (!Array.isArray(value)) throw invalid(scope.name, field, 'pattern')
    return value
  }
  if (kind === 'manyColumns') {
    if (typeof value !== 'object') throw invalid(scope.name, field, 'columnsValid')
    return value
  }
  if (kind === 'data') {
    if (!Array.isArray(value)) throw failure()
    return value
  }
  if (kind === 'linkId') {
    if (typeof value !== 'string') throw invalid(scope.name, field, 'pattern')
    return value === '' ? null : value
  }
  if (name.endsWith('Currency') && type === 'currency') return text(value)
  return SANITIZERS[type]?.(value, scope.name, field) ?? (SANITIZERS[type] ? null : trimmed(text(value)) || null)
}

const SANITIZERS: { readonly [type: string]: (value: unknown, scope: string, field: string) => unknown } = {
  text: (value) => text(value) || null,
  wysiwyg: (value) => text(value) || null,
  enum: (value, scope, field) => (typeof value === 'object' ? refuse(scope, field) : text(value)),
  bool: isTrue,
  int: (value, scope, field) => truncated(number(value, scope, field)),
  float: number,
  currency: number,
  date: (value) => dateIn(text(value)) || null,
  datetime: (value) => datetimeIn(text(value)) || null,
  phone: (value) => phoneNumber(text(value)) || null,
  jsonObject: (value, scope, field) => (typeof value === 'object' ? value : refuse(scope, field)),
  jsonArray: list,
  array: list,
  multiEnum: list,
  checklist: list,
}

const truncated = (value: number | null) => (value === null ? null : Math.trunc(value))

function refuse(scope: string, field: string): never {
  throw invalid(scope, field, 'valid')
}

function list(value: unknown, scope: string, field: string): unknown {
  return Array.isArray(value) ? value.map((one) => (typeof one === 'string' ? trimmed(one) : one)) : refuse(scope, field)
}

/** Objects and null characters are a 500, as with PHP and PostgreSQL. */
function text(value: unknown): string {
  if (typeof value === 'object') throw failure()
  const read = value === true ? '1' : value === false ? '' : String(value)
  if (read.includes('\0')) throw failure()
  return read
}

/** Trims like PHP, which knows fewer space characters than JavaScript. */
export const trimmed = (value: string) => value.replace(/^[ \t\n\r\v]+|[ \t\n\r\v]+$/g, '')

export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true'
}

function number(value: unknown, scope: string, field: string): number | null {
  if (value === '') return null
  const read =
    typeof value === 'number' ? value : typeof value === 'string' && /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value) ? Number(value) : Number.NaN
  return Number.isFinite(read) ? read : refuse(scope, field)
}

const ATOM = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(Z|[+-]\d{2}:?\d{2})$/

function dateIn(value: string): string {
  return ATOM.exec(value)?.[1] ?? value
}

function datetimeIn(value: string): string {
  const [, day, time, zone] = ATOM.exec(value) ?? []
  if (day === undefined) return value
  const at = Date.parse(`${day}T${time}${zone}`)
  return Number.isNaN(at) ? value : new Date(at).toISOString().slice(0, 19).replace('T', ' ')
}

/** Normalizes numbers that begin with a plus. */
export function phoneNumber(value: string): string {
  const compact = trimmed(value)
  return compact.startsWith('+') && /^\+[\d\s().\-/]+$/.test(compact) ? `+${compact.replace(/\D/g, '')}` : compact
}
