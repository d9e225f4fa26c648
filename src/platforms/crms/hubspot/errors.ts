import type { Fault } from '../../../contract/errors.ts'
import { type CrmAnswer, type CrmRequest, reads, retryAfterMs } from '../engine/connection.ts'
import { DriverError } from '../engine/errors.ts'
import { scopesFor } from './scopes.ts'

/** What HubSpot says of what went wrong, as a whole answer or as a part of one. */
export interface Complaint {
  readonly status?: string
  readonly category?: string
  readonly message?: string
  readonly policyName?: string
  readonly errors?: readonly Detail[]
  readonly context?: Context
}

type Context = { readonly [name: string]: readonly string[] | string | undefined }

interface Detail {
  readonly message?: string
  readonly code?: string
  readonly in?: string
  readonly context?: Context
}

/** Our name of a property of one of HubSpot's objects. */
export type NameOf = (object: string | undefined, property: string) => string

/** What an answer with a status of 400 or more means. */
export function refusalOf(answer: CrmAnswer, request: CrmRequest, nameOf: NameOf): DriverError {
  const complaint = complaintIn(answer)
  const { status } = answer
  const reason = reasonOf(complaint, status)
  if (status === 401) {
    return new DriverError('unauthenticated', `HubSpot does not take the token: ${reason}`, {
      hint: 'Check the service key (or the token of a private app), or the refresh token of the app: it may have been taken back, or be that of another account.',
    })
  }
  if (status === 403 && complaint.message === undefined && complaint.category === undefined) return turnedAway()
  if (status === 403) return forbidden(complaint, reason, objectIn(request))
  if (status === 404) return new DriverError('not_found', reason)
  if (status === 413 || status === 414) return new DriverError('too_large', reason)
  if (status === 423) return new DriverError('platform_unavailable', reason, { retryable: true, retryAfterMs: retryAfterMs(answer) ?? 2000 })
  if (status === 429 || status === 477) return limited(answer, complaint, reason)
  if (status >= 500) return failed(status, request, reason)
  if (isStale(request, reason)) return new DriverError('conflict', `HubSpot no longer knows this page: ${reason}`)
  return rejected(complaint, objectIn(request), nameOf, status)
}

/** Values that were refused, all of them, whether in an answer or in a part of a batch; `twin` is who has the e-mail address, where HubSpot does not say. */
export function rejected(complaint: Complaint, object: string | undefined, nameOf: NameOf, status = 400, twin?: string): DriverError {
  if (isTaken(complaint, object)) {
    const existing = /Existing ID: (\d+)/.exec(complaint.message ?? '')?.[1] ?? twin
    const message = 'HubSpot already has a contact with this e-mail address.'
    return new DriverError('platform_rejected', message, {
      errors: [{ field: nameOf(object, 'email'), code: 'conflict', message }],
      ...(existing !== undefined && { conflicting: ['Lead', 'Contact'].map((type) => ({ type, id: existing })) }),
      hint: 'Two contacts cannot have the same e-mail address. Update the one that exists, or leave the address out.',
    })
  }
  const faults = faultsIn(complaint, object, nameOf)
  const reason = faults.length > 0 ? faults.map(({ message }) => message).join(' ') : reasonOf(complaint, status)
  // What a rule of the account requires is as much a fault of the input as what the contract does.
  const code = faults.length > 0 && faults.every((fault) => fault.code === 'missing') ? 'invalid_input' : 'platform_rejected'
  return new DriverError(code, `HubSpot refused it: ${reason}`, { ...(faults.length > 0 && { errors: faults }) })
}

/** The message, with what the list of errors says beyond it: the message alone may be that there was a problem. */
function reasonOf({ message = '', errors = [] }: Complaint, status: number): string {
  const reasons = [message, ...errors.map((error) => error.message ?? '')].map((text) => text.trim()).filter(Boolean)
  return reasons.filter((text, index) => !reasons.slice(0, index).some((earlier) => earlier.includes(text))).join(' ') || `HubSpot answered ${status}.`
}

/** Whether it is that another contact has the e-mail address: the one thing of contacts that no two may share, as HubSpot has them. */
const isTaken = ({ message = '' }: Complaint, object: string | undefined) => object === 'contacts' && /^Contact already exists/.test(message.trim())

function complaintIn({ text }: CrmAnswer): Complaint {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

function forbidden({ errors = [], context = {} }: Complaint, reason: string, object: string | undefined): DriverError {
  const named = [context, ...errors.map((error) => error.context ?? {})].flatMap(({ requiredGranularScopes, requiredScopes, missingScopes }) =>
    [requiredGranularScopes, requiredScopes, missingScopes].flatMap((scopes) => scopes ?? []),
  )
  const scopes = [...new Set(named)]
  const usual = object === undefined ? '' : ` ${scopesFor(object).join(', ')}`
  const hint =
    scopes.length > 0
      ? `Give the service key, or the app, one of these scopes in HubSpot: ${scopes.join(', ')}.`
      : `Check the scopes of the service key, or of the app${usual && `, which for ${object} are${usual}`}, and what the account has paid for.`
  return new DriverError('forbidden', `HubSpot does not allow it: ${reason}`, { hint })
}

/** A page of the network in front of HubSpot, which has not seen the request: no scope would help. */
function turnedAway(): DriverError {
  return new DriverError('platform_unavailable', 'The network in front of HubSpot turned the request away with status 403; HubSpot itself has not seen it.', {
    hint: 'Check proxies and firewalls between the connector and HubSpot, and whether the address that it calls from is blocked.',
  })
}

/** The longest that one waits for a new day, which begins at midnight where the account is. */
const DAY_MS = 3_600_000

function limited(answer: CrmAnswer, { policyName = '' }: Complaint, reason: string): DriverError {
  if (policyName === 'DAILY')
    return new DriverError('rate_limited', reason, { retryAfterMs: retryAfterMs(answer) ?? DAY_MS, hint: 'The account has no requests left today.' })
  // A rolling window: some of it is free again soon, but HubSpot seldom sends a Retry-After.
  const afterMs = retryAfterMs(answer)
  return new DriverError('rate_limited', reason, { retryable: true, ...(afterMs !== undefined && { retryAfterMs: afterMs }) })
}

/** Gateways in front of HubSpot time out while it may still execute the request. */
const IN_FRONT: ReadonlySet<number> = new Set([502, 504, 520, 521, 522, 523, 524])

function failed(status: number, request: CrmRequest, reason: string): DriverError {
  if (reads(request)) return new DriverError('platform_unavailable', `HubSpot failed with ${status}: ${reason}`, { retryable: true })
  return new DriverError('outcome_unknown', `HubSpot failed with ${status}: ${reason}`, { unknown: IN_FRONT.has(status) ? 'open' : 'ended' })
}

/** Whether a cursor was refused. HubSpot has no error code for that, so the request decides. */
function isStale({ method, path, body }: CrmRequest, reason: string): boolean {
  const goesOn = method === 'GET' ? /[?&]after=/.test(path) : path.endsWith('/search') && Number((Object(body) as { after?: unknown }).after) > 0
  return goesOn && /cursor|after|paging/i.test(reason)
}

/** The object that a request is about. */
function objectIn({ path }: CrmRequest): string | undefined {
  const plain = path.split('?')[0]?.replace(/\/(?:v\d+|\d{4}-\d{2}(?:-beta)?)(?=\/)/, '') ?? ''
  const [, kind, object] = /^\/crm\/(objects|lists|pipelines|properties)(?:\/([^/]+))?/.exec(plain) ?? []
  return kind === 'lists' ? 'lists' : object && decodeURIComponent(object)
}

const CODES: { readonly [code: string]: Fault['code'] } = {
  READ_ONLY_VALUE: 'read_only',
  CONFLICTING_UNIQUE_VALUE: 'conflict',
}

/** What is missing has several codes: always, in a form, or under a condition. */
const codeOf = (code: string): Fault['code'] => CODES[code] ?? (/REQUIRED|MISSING/.test(code) ? 'missing' : 'value')

/** All faults, with our field names: from the list of errors, or from JSON inside the message. */
function faultsIn({ message = '', errors = [], context = {} }: Complaint, object: string | undefined, nameOf: NameOf): Fault[] {
  const fault = (property: string, code: string | undefined, reason: string): Fault => ({
    field: nameOf(object, property),
    code: codeOf(code ?? ''),
    message: reason,
  })
  const inside = insideOf(message).map(({ name, error, message: reason }) => fault(name, error, reason))
  const listed = errors.flatMap((error) => propertiesIn(error.context ?? {}, error.in).map((property) => fault(property, error.code, error.message ?? message)))
  // For lists the context holds the value of the name, not the name of a property; nothing else of a list can be wrong.
  const around = (object === 'lists' && context.name ? ['name'] : propertiesIn(context, undefined)).map((property) => fault(property, undefined, message))
  const all = inside.length > 0 ? inside : listed.length > 0 ? listed : around
  return all.filter((one, index) => all.findIndex(({ field, message: reason }) => field === one.field && reason === one.message) === index)
}

function propertiesIn({ propertyName, properties, invalidPropertyName }: Context, where: string | undefined): string[] {
  const named = [propertyName, properties, invalidPropertyName].flatMap((one) => one ?? [])
  return named.length > 0 || where === undefined ? named : [where]
}

function insideOf(message: string): { readonly name: string; readonly error?: string; readonly message: string }[] {
  const json = /^Property values were not valid: (\[.*\])\s*$/s.exec(message)?.[1]
  if (json === undefined) return []
  try {
    const reason: unknown = JSON.parse(json)
    return Array.isArray(reason) ? reason.filter((one) => typeof one?.name === 'string').map((one) => ({ ...one, message: String(one.message ?? '') })) : []
  } catch {
    return []
  }
}

/** Whether a body is one of HubSpot's own errors: each has a number of its own, or at least says that it is one. */
export function isError(text: string): boolean {
  try {
    const { status, correlationId } = Object(JSON.parse(text)) as { readonly status?: unknown; readonly correlationId?: unknown }
    return status === 'error' || correlationId !== undefined
  } catch {
    return false
  }
}
