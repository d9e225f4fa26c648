import type { WireAnswer, WireRequest } from '../simulated.ts'
import { badCursor, invalid, lacking, Refusal, unreadable } from './errors.ts'
import type { Portal } from './portal.ts'

export type Json = { readonly [name: string]: unknown }

/** A request that has found its way. */
export interface Call {
  readonly portal: Portal
  readonly request: WireRequest
  /** What stood in the path in the place of a name with a colon. */
  param(name: string): string
}

export type Handler = (call: Call) => WireAnswer

export const ok = (body: unknown): WireAnswer => ({ status: 200, body })
export const created = (body: unknown): WireAnswer => ({ status: 201, body })
export const nothing: WireAnswer = { status: 204 }

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The body as JSON, whatever it is. */
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

/** The body, which has to be an object with at least these members. */
export function bodyOf(call: Call, required: readonly string[] = []): Json {
  const body = jsonOf(call)
  if (!isObject(body)) throw unreadable(`Cannot deserialize value of type \`java.util.LinkedHashMap\` from ${kindOf(body)} value`)
  demand(body, required)
  return body
}

/** Refuses an object that lacks a member. */
export function demand(body: Json, required: readonly string[]): void {
  const missing = required.filter((name) => body[name] === undefined || body[name] === null)
  if (missing.length > 0) throw lacking(missing)
}

export function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'Array' : value === null ? 'Null' : typeof value === 'object' ? 'Object' : typeof value
}

/** A member that is a text if it is there at all; numbers are read as texts, as the real one does. */
export function textIn(body: Json, name: string): string | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'object') throw unreadable(`Cannot deserialize value of type \`java.lang.String\` from ${kindOf(value)} value (${name})`)
  return String(value)
}

/** A member that is a list if it is there at all. */
export function listIn(body: Json, name: string): readonly unknown[] | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) throw unreadable(`Cannot deserialize value of type \`java.util.ArrayList\` from ${kindOf(value)} value (${name})`)
  return value
}

/** A list of texts, or of numbers that are read as texts. */
export function textsOf(values: readonly unknown[]): string[] {
  return values.map((value) => {
    if (typeof value === 'string' || typeof value === 'number') return String(value)
    throw unreadable(`Cannot deserialize value of type \`java.lang.String\` from ${kindOf(value)} value`)
  })
}

/** The names in the query, whether they are repeated or separated by commas. */
export function namesIn({ request }: Call, name: string): string[] {
  return request.query.getAll(name).flatMap((value) => value.split(',').flatMap((one) => one.trim() || []))
}

export const flagIn = ({ request }: Call, name: string) => request.query.get(name) === 'true'

/** How many are asked for, within what is allowed. */
export function limitIn({ request }: Call, fallback: number, most: number): number {
  const said = request.query.get('limit')
  if (said === null || said === '') return fallback
  if (!/^-?\d{1,9}$/.test(said)) throw invalid(`Invalid value for query parameter limit: ${said}`)
  const limit = Number(said)
  if (limit < 1 || limit > most) throw invalid(`The limit must be between 1 and ${most}, but was ${limit}.`)
  return limit
}

/** What a page begins behind; a cursor that is not one of ours, or is no longer known, is refused. */
export function afterIn({ portal, request }: Call): string | undefined {
  const said = request.query.get('after')
  if (said === null || said === '') return undefined
  const place = Buffer.from(decodeLoosely(said), 'base64url').toString('utf8').trim()
  if (!/^\d{1,15}$/.test(place) || portal.world.faults.happens('stale-cursor', request)) throw badCursor(said)
  return place
}

function decodeLoosely(text: string): string {
  return text.replaceAll(/%3D/gi, '=')
}

/** Where the next page begins, with a link to it. */
export function pagingAfter({ request }: Call, place: string): { readonly paging: unknown } {
  const after = Buffer.from(`${place}\n`).toString('base64url')
  const query = new URLSearchParams(request.query)
  query.set('after', after)
  return { paging: { next: { after, link: `${request.origin}${request.path}?${query}` } } }
}

/** One page of what there is, with the place of its last one if more follows. */
export function paged<T>(items: Iterable<T>, limit: number): { readonly page: T[]; readonly more: boolean } {
  const page: T[] = []
  for (const item of items) {
    if (page.length === limit) return { page, more: true }
    page.push(item)
  }
  return { page, more: false }
}
