import { isObject } from '../../helpers/is-object.ts'

/** So much is kept of either end of a line that is too long to be read. */
const KEPT = 1024

/** Both ends of what has come of a line so far. */
export function endsOf(parts: readonly Buffer[]): Buffer {
  const whole = Buffer.concat(parts)
  return whole.length <= 2 * KEPT ? whole : Buffer.concat([whole.subarray(0, KEPT), whole.subarray(-KEPT)])
}

const TEXT = '"(?:[^"\\\\]|\\\\.)*"'
const MEMBER = `\\s*${TEXT}\\s*:\\s*(?:${TEXT}|[\\w.+-]+)\\s*`
const BEGINNING = new RegExp(`^\\s*\\{((?:${MEMBER},)*)`)
const END = new RegExp(`((?:,${MEMBER})*)\\}\\s*$`)

/**
 * The id of the request in a line that is too long, from both ends of it. What is long is the params, and whatever else a request has
 * stands before or after them. Undefined where no end tells, and for what is no request.
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
