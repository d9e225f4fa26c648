import type { Fault } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isObject } from '../../helpers/is-object.ts'

/** The parts of a schema that limit how many members a value has. */
interface Sized {
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly items?: Sized
  readonly properties?: { readonly [name: string]: Sized }
  readonly additionalProperties?: boolean | Sized
}

/**
 * The first list or object of a value that has more members than its schema allows. Judged before shapes, which cost time and a fault for
 * each member. An object with known members only may have some others too, which are then reported by name.
 */
export function sizeFault(schema: Sized, value: unknown, path: readonly string[] = []): Fault | undefined {
  if (Array.isArray(value)) {
    const { maxItems, items } = schema
    if (maxItems !== undefined && value.length > maxItems) return countFault(path.join('.') || 'input', maxItems)
    return items && firstFault(value.entries(), () => items, path)
  }
  if (!isObject(value)) return undefined
  const { properties = {}, additionalProperties = true } = schema
  const most = schema.maxProperties ?? (additionalProperties === false ? Object.keys(properties).length + LIMITS.faults : undefined)
  if (most !== undefined && Object.keys(value).length > most) return countFault(path.join('.') || 'input', most)
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined
  return firstFault(Object.entries(value), (name) => (Object.hasOwn(properties, name) ? properties[name] : others), path)
}

function firstFault<K extends string | number>(
  members: Iterable<[K, unknown]>,
  schemaOf: (name: K) => Sized | undefined,
  path: readonly string[],
): Fault | undefined {
  for (const [name, member] of members) {
    const schema = typeof member === 'object' && member !== null ? schemaOf(name) : undefined
    const fault = schema && sizeFault(schema, member, [...path, String(name)])
    if (fault) return fault
  }
  return undefined
}

export function countFault(field: string, most: unknown): Fault {
  return { field, code: 'count', message: `${field} has more than ${most} members.`, expected: `at most ${most}` }
}
