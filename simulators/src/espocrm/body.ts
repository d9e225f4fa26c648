import { isObject } from '../json.ts'
import type { WireRequest } from '../simulated.ts'
import { badRequest, failure } from './errors.ts'
import { nestedQuery } from './search/nested-query.ts'
import type { Values } from './store.ts'

/**
 * The body as an object. Unlike EspoCRM this also reads JSON with `text/plain` or no content type, which many HTTP clients send by default.
 */
export function bodyOf({ headers, body }: WireRequest): Values {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (body === '') return {}
  if (type === 'application/x-www-form-urlencoded') return nestedQuery(new URLSearchParams(body)) as Values
  if (type !== 'application/json' && type !== '' && type !== 'text/plain') return {}
  const read = parsed(body)
  if (Array.isArray(read)) return { list: read }
  if (!isObject(read)) throw badRequest('Body is not a JSON object.')
  return read
}

function wellFormed(name: string, value: unknown): unknown {
  if (!name.isWellFormed() || (typeof value === 'string' && !value.isWellFormed())) throw new SyntaxError('An unpaired surrogate was sent.')
  return value
}

function parsed(body: string): unknown {
  try {
    // PHP refuses unpaired surrogates.
    return /\\ud[89a-f]/i.test(body) ? JSON.parse(body, wellFormed) : JSON.parse(body)
  } catch {
    throw failure()
  }
}
