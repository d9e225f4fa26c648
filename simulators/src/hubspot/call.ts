import { isObject, type Json } from '../json.ts'
import type { WireAnswer, WireRequest } from '../simulated.ts'
import { badCursor, invalid, missingFields, Refusal, unreadable } from './errors.ts'
import type { ObjectType, Portal } from './portal.ts'

/** A request with the parameters of its route. */
export interface Call {
  readonly portal: Portal
  readonly request: WireRequest
  /** The path segment at `:name`. */
  param(name: string): string
}

export type Handler = (call: Call) => WireAnswer

/** The object type in the path. */
export const typeOf = ({ portal, param }: Call): ObjectType => portal.type(param('type'))

export const ok = (body: unknown): WireAnswer => ({ status: 200, body })
export const created = (body: unknown): WireAnswer => ({ status: 201, body })
export const nothing: WireAnswer = { status: 204 }

/** The body as any JSON value. */
export function jsonOf({ request }: Call): unknown {
  const type = request.headers['content-type']
  if (type !== undefined && !/[/+]json\b/i.test(type)) throw new Refusal(415, `Unsupported Media Type: ${type}`)
  if (request.body === '') throw unreadable('No content to map due to end-of-input')
  try {
    return JSON.parse(request.body)
  } catch (error) {
    throw unreadable((error as Error).message)
  }
}

/** The body as an object with at least these members. */
export function bodyOf(call: Call, required: readonly string[] = []): Json {
  const body = jsonOf(call)
  if (!isObject(body)) throw unreadable(`Cannot deserialize value of type \`java.util.LinkedHashMap\` from ${kindOf(body)} value`)
  requireMembers(body, required)
  return body
}

export function requireMembers(body: Json, required: readonly string[]): void {
  const missing = required.filter((name) => body[name] === undefined || body[name] === null)
  if (missing.length > 0) throw missingFields(missing)
}

export function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'Array' : value === null ? 'Null' : typeof value === 'object' ? 'Object' : typeof value
}

/** An optional text; like HubSpot it accepts a number. */
export function textIn(body: Json, name: string): string | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'object') throw unreadable(`Cannot deserialize value of type \`java.lang.String\` from ${kindOf(value)} value (${name})`)
  return String(value)
}

/** An optional list. */
export function listIn(body: Json, name: string): readonly unknown[] | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) throw unreadable(`Cannot deserialize value of type \`java.util.ArrayList\` from ${kindOf(value)} value (${name})`)
  return value
}

/** Texts, or numbers as texts. */
export function textsOf(values: readonly unknown[]): string[] {
  return values.map((value) => {
    if (typeof value === 'string' || typeof value === 'number') return String(value)
    throw unreadable(`Cannot deserialize value of type \`java.lang.String\` from ${kindOf(value)} value`)
  })
}

/** Names in the query, repeated or separated by commas. */
export function namesIn({ request }: Call, name: string): string[] {
  return request.query.getAll(name).flatMap((value) => value.split(',').flatMap((one) => one.trim() || []))
}

export const flagIn = ({ request }: Call, name: string) => request.query.get(name) === 'true'

export function limitIn({ request }: Call, fallback: number, most: number): number {
  const given = request.query.get('limit')
  if (given === null || given === '') return fallback
  if (!/^-?\d{1,9}$/.test(given)) throw invalid(`Invalid value for query parameter limit: ${given}`)
  const limit = Number(given)
  if (limit < 1 || limit > most) throw invalid(`The limit must be between 1 and ${most}, but was ${limit}.`)
  return limit
}

/** The position of the `after` cursor; refuses an invalid or stale one. */
export function afterIn({ portal, request }: Call): string | undefined {
  const given = request.query.get('after')
  if (given === null || given === '') return undefined
  const place = Buffer.from(decodeLoosely(given), 'base64url').toString('utf8').trim()
  if (!/^\d{1,15}$/.test(place) || portal.world.faults.happens('stale-cursor', request)) throw badCursor(given)
  return place
}

function decodeLoosely(text: string): string {
  return text.replaceAll(/%3D/gi, '=')
}

/** The cursor of the next page, with a link to it. */
export function pagingAfter({ request }: Call, place: string): { readonly paging: unknown } {
  const after = Buffer.from(`${place}\n`).toString('base64url')
  const query = new URLSearchParams(request.query)
  query.set('after', after)
  return { paging: { next: { after, link: `${request.origin}${request.path}?${query}` } } }
}

export function paged<T>(items: Iterable<T>, limit: number): { readonly page: T[]; readonly more: boolean } {
  const page: T[] = []
  for (const item of items) {
    if (page.length === limit) return { page, more: true }
    page.push(item)
  }
  return { page, more: false }
}
