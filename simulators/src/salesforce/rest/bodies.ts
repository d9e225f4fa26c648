import { isObject } from '../../json.ts'
import type { WireRequest } from '../../simulated.ts'
import { Refusal, unparsable } from '../errors.ts'
import type { Given } from '../records/records.ts'

/** The body as a JSON object. */
export function bodyOf({ body, headers }: WireRequest): Given {
  const type = headers['content-type']
  if (type !== undefined && !/^application\/(?:[\w.+-]*\+)?json\b/i.test(type)) {
    throw new Refusal(415, 'UNSUPPORTED_MEDIA_TYPE', `Content-Type header specified in HTTP request is not supported: ${type}`)
  }
  if (body.trim() === '') throw unparsable('The HTTP entity body is required, but this request has no entity body.')
  let read: unknown
  try {
    read = JSON.parse(body)
  } catch (error) {
    throw unparsable(`${(error as Error).message.replace(/ in JSON.*/s, '')} at [line:1, column:1]`)
  }
  return objectOf(read)
}

export function objectOf(read: unknown): Given {
  if (Array.isArray(read)) throw unparsable('Can not deserialize SObject out of START_ARRAY token at [line:1, column:1]')
  if (!isObject(read)) throw unparsable('Can not deserialize SObject out of VALUE_STRING token at [line:1, column:1]')
  return read
}

export function listOf(read: unknown, name: string): unknown[] {
  if (Array.isArray(read)) return read
  throw unparsable(`The property '${name}' is required and must be a list at [line:1, column:1]`)
}

/** A member of an object by its name, ignoring case. */
export function member(given: Given, name: string): unknown {
  return Object.entries(given).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
}
