import { isObject } from '../../helpers/is-object.ts'

/** Bytes to keep of either end of an oversized line. */
const END_BYTES = 1024

export function endsOf(parts: readonly Buffer[]): Buffer {
  const whole = Buffer.concat(parts)
  return whole.length <= 2 * END_BYTES ? whole : Buffer.concat([whole.subarray(0, END_BYTES), whole.subarray(-END_BYTES)])
}

const TEXT = '"(?:[^"\\\\]|\\\\.)*"'
const MEMBER = `\\s*${TEXT}\\s*:\\s*(?:${TEXT}|[\\w.+-]+)\\s*`
const BEGINNING = new RegExp(`^\\s*\\{((?:${MEMBER},)*)`)
const END = new RegExp(`((?:,${MEMBER})*)\\}\\s*$`)

/**
 * The id of the request in an oversized line, read from both ends of it: the params are what is long, and all other members stand before or
 * after them. Undefined where neither end has it, and where it is no request.
 */
export function idIn(ends: string): unknown {
  const { id, method } = { ...members(BEGINNING.exec(ends)?.[1]), ...members(END.exec(ends)?.[1]) }
  return method === undefined ? undefined : id
}

function members(found = ''): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(`{${found.replace(/^,|,$/g, '')}}`)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
