import type { Logger } from 'pino'
import { CrmError, ERRORS } from '../../contract/errors.ts'
import { HungUp } from '../../core/call/budget.ts'
import type { Caller, Service } from '../../core/service.ts'

/** Errors of Fastify as ours. */
const FASTIFY: { readonly [code: string]: () => CrmError } = {
  FST_ERR_BAD_URL: () => new CrmError('invalid_input', 'The address is not properly percent-encoded.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new CrmError('not_found', 'There is nothing at this address.', { hint: 'GET /v1/operations lists the operations.' }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new CrmError('invalid_input', 'The body must be JSON in UTF-8.', { hint: 'Send the header Content-Type: application/json.' }),
}

/** Any thrown value as the error that callers see. The cause goes to the log only. */
export function asCrmError(thrown: unknown): CrmError {
  if (thrown instanceof CrmError) return thrown
  const { code = '', statusCode = 500 } = thrown instanceof Error ? (thrown as Error & { code?: string; statusCode?: number }) : {}
  const known = FASTIFY[code]
  if (known) return known()
  if (code.startsWith('FST_') && statusCode < 500) return new CrmError('invalid_input', 'The request cannot be understood.', { cause: thrown })
  return new CrmError('internal', 'Something went wrong on our side.', { hint: 'The log has it under the requestId.', cause: thrown })
}

/** An error of the store outside of a call, such as at sign-in. */
export function storeError(store: Service['store'], thrown: unknown): CrmError {
  const known = thrown instanceof CrmError ? undefined : store.classify(thrown)
  if (!known) return asCrmError(thrown)
  return new CrmError(known.code, known.message, {
    ...(known.code === 'platform_unavailable' && { retryAfter: 1 }),
    ...(known.hint !== undefined && { hint: known.hint }),
    cause: thrown,
  })
}

/** What is logged of a request: never a body, a key or an address as typed. */
export interface RequestFacts {
  readonly requestId: string
  readonly operation?: string | undefined
  /** The pattern of the route, where it is not an operation's. */
  readonly route?: string | undefined
  readonly started?: number | undefined
  readonly caller?: Caller | undefined
  /** The caller's Authorization header, so that it can be redacted in a stack. */
  readonly authorization?: string | undefined
}

/** How a request ended that was not answered with success, in the log and the metrics: the code of its error, or that the caller had hung up. */
export const endOf = (error: CrmError) => (error instanceof HungUp ? 'hung_up' : error.code)

/** The log line of a request that was refused or failed. */
export function logError(log: Logger, error: CrmError, facts: RequestFacts): void {
  const { status } = ERRORS[error.code]
  const line = { ...fields(facts), status, code: endOf(error) }
  if (status < 500) log.info(line, 'refused')
  else if (error.cause instanceof Error && logged.has(error.cause)) log.error({ ...line, detail: error.message }, 'failed')
  else {
    if (error.cause instanceof Error) logged.add(error.cause)
    log.error({ ...line, stack: stackWithoutKey(error, facts.authorization) }, 'failed')
  }
}

/** A lasting fault, such as a damaged store, is the same object each time: its stack is logged once, not with every call that it fails. */
const logged = new WeakSet<Error>()

/** The log line of a request that was answered. */
export function logSuccess(log: Logger, facts: RequestFacts): void {
  if (log.isLevelEnabled('debug')) log.debug({ ...fields(facts), status: 200 }, 'answered')
}

function fields({ requestId, operation, route, started, caller }: RequestFacts) {
  return {
    requestId,
    ...(operation !== undefined && { operation }),
    ...(route !== undefined && { route }),
    ...(started !== undefined && { ms: Math.round((performance.now() - started) * 100) / 100 }),
    ...(caller !== undefined && { userId: caller.userId, keyId: caller.keyId }),
  }
}

/** The stacks of an error and of all that caused it, without the caller's key. */
function stackWithoutKey(error: Error, authorization: string | undefined): string {
  const stacks: string[] = []
  const seen = new Set<unknown>()
  for (let next: unknown = error; next !== undefined && !seen.has(next); next = next instanceof Error ? next.cause : undefined) {
    seen.add(next)
    stacks.push(next instanceof Error ? (next.stack ?? String(next)) : String(next))
  }
  const text = stacks.join('\ncaused by ')
  const key = authorization?.replace(/^bearer\s+/i, '').trim()
  return key ? text.replaceAll(key, '[redacted]') : text
}
