import type { Fault } from '../../../contract/errors.ts'
import { type CrmAnswer, type CrmRequest, reads, retryAfterMs } from '../engine/connection.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import { fieldOf } from '../engine/translation.ts'

/** Our table for one of EspoCRM's objects. */
export type TableOf = (object: string) => Table | undefined

/** Whose credentials a request was sent with. */
export type Who = 'API user' | 'administrator'

/** What an answer that refuses something means. EspoCRM says why in a header, and in the body only of values. */
export function refusalOf(answer: CrmAnswer, request: CrmRequest, base: string, tableOf: TableOf, who: Who = 'API user'): DriverError {
  const { status } = answer
  const reason = answer.headers['x-status-reason'] ?? ''
  const [object = '', ...rest] = (request.path.slice(base.length + 1).split('?')[0] as string).split('/')
  const where = { object, path: rest.join('/'), reason }
  if (status >= 500) return broken(answer, request, where)
  switch (status) {
    case 400:
      return invalid(answer, where, tableOf(object))
    case 401:
      return unknown(reason, who)
    case 403:
      return forbidden(where, tableOf(object))
    case 404:
      return new DriverError('not_found', reason || `EspoCRM has no ${object} here.`)
    case 409:
      return conflict(answer, where)
    case 413:
    case 414:
      return new DriverError('too_large', 'EspoCRM does not take a request of this length.')
    case 429:
      return limited(answer)
    default:
      return new DriverError('platform_rejected', `EspoCRM refused it with status ${status}${reason && `: ${reason}`}`)
  }
}

interface Where {
  readonly object: string
  readonly path: string
  readonly reason: string
}

function limited(answer: CrmAnswer): DriverError {
  const afterMs = retryAfterMs(answer)
  return new DriverError('rate_limited', 'The server in front of EspoCRM takes no more requests right now.', {
    retryable: true,
    ...(afterMs !== undefined && { retryAfterMs: afterMs }),
  })
}

const isDesign = ({ object }: Where) => object === 'EntityManager' || object === 'Admin'

function broken({ status }: CrmAnswer, request: CrmRequest, where: Where): DriverError {
  const { reason } = where
  if (status === 503 && /maintenance/i.test(reason)) return new DriverError('platform_unavailable', `EspoCRM is not available: ${reason}`, { retryable: true })
  // Requests of administrators are refused in this way, too.
  if (isDesign(where) && reason) return new DriverError('platform_rejected', `EspoCRM refused it: ${reason}`)
  const why = `EspoCRM failed with status ${status}${reason && `: ${reason}`}`
  if (reads(request)) return new DriverError('platform_unavailable', why, { retryable: true })
  return new DriverError('outcome_unknown', why, { unknown: 'ended' })
}

interface Translated {
  readonly messageTranslation?: { readonly label?: string; readonly data?: { readonly field?: string; readonly type?: string } | null }
}

/** What is wrong with a value, by EspoCRM's name of the check that found it. */
const CHECKS: { readonly [type: string]: readonly [code: Fault['code'], message: string] } = {
  required: ['required', 'is required by EspoCRM.'],
  maxLength: ['length', 'is longer than EspoCRM keeps.'],
  max: ['range', 'is larger than EspoCRM allows.'],
  min: ['range', 'is smaller than EspoCRM allows.'],
  rangeInternal: ['range', 'is larger than EspoCRM allows.'],
  rangeMax: ['range', 'is larger than EspoCRM allows.'],
  pattern: ['form', 'has a character that EspoCRM does not allow there, such as <, > or =.'],
  emailAddress: ['form', 'is no e-mail address to EspoCRM.'],
}

function invalid(answer: CrmAnswer, { reason }: Where, table: Table | undefined): DriverError {
  const { field, type = '' } = bodyOf<Translated>(answer)?.messageTranslation?.data ?? fieldIn(reason)
  if (field === undefined) return new DriverError('platform_rejected', `EspoCRM refused it: ${reason || 'bad request'}`)
  const ours = ourField(table, field)
  if (ours === 'OwnerID') return noUser()
  if (type === 'validCurrency') return noCurrency(ours, table?.defaults?.[`${field}Currency`])
  const [code, message] = CHECKS[type] ?? ['value', 'has a value that EspoCRM does not take.']
  return new DriverError('platform_rejected', `${ours} ${message}`, { errors: [{ field: ours, code, message: `${ours} ${message}` }] })
}

function noUser(): DriverError {
  const message = "The PlatformUserID of the owner is not the id of one of EspoCRM's users."
  return new DriverError('platform_rejected', message, {
    errors: [{ field: 'OwnerID', code: 'value', message }],
    hint: "Correct it with update_user: the id is the last part of the address of the user's page in EspoCRM.",
  })
}

function noCurrency(field: string, currency: unknown): DriverError {
  const message = `${field} is in a currency that EspoCRM does not have${currency === undefined ? '' : `: ${currency}`}.`
  return new DriverError('platform_rejected', message, {
    errors: [{ field, code: 'value', message }],
    hint: 'Set the option currency to one that EspoCRM has, or add it there (Administration, Currency).',
  })
}

function fieldIn(reason: string): { readonly field?: string; readonly type?: string } {
  const [, field, type] = /field: (\w+), type: (\w+)/.exec(reason) ?? []
  return { ...(field !== undefined && { field }), ...(type !== undefined && { type }) }
}

/** A link is spoken of without the Id that we know it by. */
function ourField(table: Table | undefined, theirs: string): string {
  const named = fieldOf(table, theirs)
  return named === theirs ? ([fieldOf(table, `${theirs}Id`)].map((linked) => (linked === `${theirs}Id` ? theirs : linked))[0] ?? theirs) : named
}

const CHECK: { readonly [W in Who]: string } = {
  'API user':
    'Check that the API key is that of an active API user, and that the method of that user is the one in use here: HMAC with a secret key, API Key without.',
  administrator: 'Check the secrets username and password: they must be those of an active administrator.',
}

function unknown(reason: string, who: Who): DriverError {
  return new DriverError(
    'unauthenticated',
    who === 'administrator' ? 'EspoCRM refuses the name and password of the administrator.' : 'EspoCRM does not let this service in.',
    {
      hint: /second-step/.test(reason)
        ? 'This user signs in with a second factor, which a program cannot do. Take one without it, or an API user.'
        : CHECK[who],
    },
  )
}

/** How long EspoCRM counts failed sign-ins from an address; after eleven it refuses all from there, good ones too. */
export const SIGN_IN_PERIOD_MS = 60_000

function lockedOut(): DriverError {
  return new DriverError(
    'platform_unavailable',
    'EspoCRM refuses every request from this address for a minute, because too many sign-ins from it have failed.',
    {
      retryable: true,
      retryAfterMs: SIGN_IN_PERIOD_MS,
      hint: 'Find the program at this address whose API key or password is wrong; it may be another than this service.',
    },
  )
}

const RIGHT = /No '?(read|create|edit|delete|stream)'? access/

/** The link that a refusal is about: `link: account` or `(Contact:account)`. */
const LINK = /link: (\w+)|\(\w+:(\w+)\)/

function noReference(field: string, isThere: boolean): DriverError {
  const message = isThere ? `EspoCRM does not let this service read the record that ${field} names.` : `${field} names a record that EspoCRM does not have.`
  return new DriverError(isThere ? 'forbidden' : 'platform_rejected', message, {
    errors: [{ field, code: 'value', message }],
    ...(isThere && { hint: 'In the role of the API user (Administration, Roles), let it read the records that it is to refer to.' }),
  })
}

function forbidden(where: Where, table: Table | undefined): DriverError {
  const { object, reason } = where
  const right = RIGHT.exec(reason)?.[1]
  if (isDesign(where))
    return new DriverError('forbidden', 'EspoCRM lets only an administrator make objects and fields, and no API user is one.', {
      hint: 'Give the secrets username and password of an administrator, or let one make the object and the field in the Entity Manager.',
    })
  if (/failed login attempts/i.test(reason)) return lockedOut()
  if (reason.includes('non-existing record') && reason.includes('link: assignedUser')) return noUser()
  if (reason.includes('foreign record access') && reason.includes(':assignedUser)'))
    return new DriverError('forbidden', 'EspoCRM does not let this service give records to users that it may not read.', {
      hint: 'In the role of the API user (Administration, Roles), set read of User to all.',
      errors: [{ field: 'OwnerID', code: 'value', message: 'EspoCRM does not let this service read the user who is to own the record.' }],
    })
  if (reason.includes('non-existing record') || reason.includes('foreign record access')) {
    const [, named, bracketed] = LINK.exec(reason) ?? []
    const link = named ?? bracketed
    if (link !== undefined && table) return noReference(ourField(table, link), reason.includes('foreign record access'))
  }
  if (/^Assignment failure/.test(reason))
    return new DriverError('forbidden', 'EspoCRM does not let this service give records to this user.', {
      hint: "Set the assignment permission of the API user's role to all, and check that the PlatformUserID of the owner is the id of one of EspoCRM's users.",
      errors: [{ field: 'OwnerID', code: 'value', message: 'EspoCRM does not let this service give records to this user.' }],
    })
  return new DriverError('forbidden', `EspoCRM does not allow it${reason && `: ${reason}`}`, {
    hint: `In the role of the API user (Administration, Roles), ${right ? `set ${right} of ${object} to ${right === 'create' ? 'yes' : 'all'}` : `look at what is allowed of ${object}`}.`,
  })
}

/** Whether access to this one record is denied, rather than to its type. */
export const isOutOfReach = (error: unknown) => error instanceof DriverError && error.code === 'forbidden' && error.message.includes("No 'read' access")

/** Whether it does not exist or is not allowed. Gateways in front of EspoCRM refuse unknown paths with various statuses. */
export const isNotOffered = (error: unknown) => error instanceof DriverError && ['not_found', 'forbidden', 'platform_rejected'].includes(error.code)

export const isMissing = (error: unknown) => error instanceof DriverError && error.code === 'not_found'

function conflict(answer: CrmAnswer, { object, reason }: Where): DriverError {
  if (reason !== 'duplicate') return new DriverError('conflict', `EspoCRM refused it: ${reason || 'conflict'}`)
  const twins = (bodyOf<readonly { readonly id?: string }[]>(answer) ?? []).flatMap(({ id }) => id ?? [])
  return new DriverError('conflict', `EspoCRM takes it for a duplicate of ${object} ${twins.join(', ')}.`, {
    errors: twins.map((id) => ({ field: `${object}ID`, code: 'conflict', message: `${id} is much the same.` })),
    hint: 'Change the one that is there, or set the option duplicates to allow.',
  })
}

function bodyOf<T>({ text }: CrmAnswer): T | undefined {
  try {
    return text === '' ? undefined : (JSON.parse(text) as T)
  } catch {
    return undefined
  }
}
