import { CrmError, type ErrorCode, type Fault } from '../../contract/errors.ts'
import { BATCH_INDEX, IDEMPOTENCY_KEY, isIdempotencyKey, LIMITS } from '../../contract/limits.ts'
import type { Operation, Verb } from '../../contract/operation.ts'
import { findOperation, STORE_TYPES } from '../../contract/operations.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import { allow, allowThere } from '../access/access.ts'
import { idempotencyKeyOf } from '../journal/idempotency.ts'
import { carryOut, type Outcome, type Prepare, recordRefusal, type Write } from '../journal/journal.ts'
import { type Call, type Caller, platformOf, type Service } from '../service.ts'
import { createKey, createUser, getCurrentUser, revokeKey, updateUser } from '../verbs/administration.ts'
import { attach, link, unlink } from '../verbs/attachments.ts'
import { allowPlan, refusePlan } from '../verbs/confirmations.ts'
import type { Context } from '../verbs/context.ts'
import { createCustom } from '../verbs/custom-objects.ts'
import { describe } from '../verbs/describe.ts'
import { eraseRecord } from '../verbs/erasure.ts'
import { getEvents } from '../verbs/events.ts'
import { getAttached, getMany, type Page } from '../verbs/pages.ts'
import { create, get, remove, update } from '../verbs/records.ts'
import { getSummary } from '../verbs/summaries.ts'
import { undoChange } from '../verbs/undo.ts'
import { createWebhook, deleteWebhook, replayDeliveries, rotateWebhookSecret, testWebhook, updateWebhook } from '../verbs/webhooks.ts'
import { check } from './check.ts'
import { operationOn } from './extension.ts'

/** What reads is answered at once. */
const READS = { get, getMany, getSummary, getAttached, describe, getCurrentUser, getEvents, testWebhook } satisfies {
  readonly [V in Verb]?: (context: Context) => Promise<unknown>
}

/** What writes is prepared, and then carried out by the journal. */
const WRITES: { readonly [V in Exclude<Verb, keyof typeof READS>]: Prepare } = {
  create,
  update,
  delete: remove,
  attach,
  link,
  unlink,
  createCustom,
  createUser,
  updateUser,
  createKey,
  revokeKey,
  undoChange,
  eraseRecord,
  allowPlan: (context) => allowPlan(context, prepareOf),
  refusePlan,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  replayDeliveries,
}

/**
 * The life of every call, whichever door it came through. Throws CrmError and nothing else. `begun` hears when a write has its
 * place before all those that come later.
 */
export async function execute(service: Service, call: Call, begun?: () => void): Promise<Outcome> {
  let operation: Operation | undefined
  try {
    operation = findOperation(call.operation)
    const known = understand(service, operation, call)
    return await run(known instanceof Promise ? await known : known, begun)
  } catch (error) {
    begun?.()
    throw await refused(service, call, operation, error)
  }
}

/** What a call is refused with, once that has its line in the audit. */
export async function refused(service: Service, call: Call, operation: Operation | undefined, error: unknown): Promise<CrmError> {
  const refusal = wrapped(service, call.caller, error, operation)
  if (operation) await recordRefusal(service, operation, call, refusal)
  return refusal
}

/** A call that is allowed and makes sense. */
export function understand(service: Service, asked: Operation, call: Call): Write | Promise<Write> {
  const operation = operationOn(platformOf(service, call.caller.workspace), asked)
  allow(call.caller, operation)
  if (livesThere(operation)) allowThere(call.caller, platformOf(service, call.caller.workspace))
  const checked = check(service, call.caller, operation, call.input)
  const key = operation.effect === 'read' ? undefined : call.idempotencyKey
  if (key !== undefined && !isIdempotencyKey(key, BATCH_INDEX)) throw keyFault()
  const write = ({ input, search }: Awaited<typeof checked>): Write => ({
    service,
    caller: call.caller,
    operation,
    input,
    search,
    call,
    idempotency: key === undefined ? undefined : idempotencyKeyOf(operation, input, key),
  })
  return checked instanceof Promise ? checked.then(write) : write(checked)
}

/** Whether an operation is about records that live on the platform. What describes them may be asked by everyone. */
const livesThere = ({ record, verb }: Operation) => !STORE_TYPES.includes(record.name) && verb !== 'describe'

function keyFault(): CrmError {
  const message = `The idempotency key must be ${IDEMPOTENCY_KEY}.`
  return new CrmError('invalid_input', message, { errors: [{ field: 'Idempotency-Key', code: 'form', message, expected: IDEMPOTENCY_KEY }] })
}

function run(write: Write, begun: (() => void) | undefined): Promise<Outcome> {
  if (!(write.operation.verb in READS)) return carryOut(write, prepareOf(write.operation), begun)
  begun?.()
  return read(write)
}

async function read(write: Write): Promise<Outcome> {
  const { verb } = write.operation
  if (write.call.dryRun && write.operation.sends) throw new CrmError('unsupported', `${write.operation.name} is itself a try, and cannot be rehearsed.`)
  return { result: await READS[verb as keyof typeof READS](write) }
}

export function prepareOf({ verb }: Operation): Prepare {
  return WRITES[verb as keyof typeof WRITES]
}

/** Whether an operation answers page by page, and so can be streamed. */
export function streams(operation: Operation): boolean {
  return operation.verb === 'getMany' || operation.verb === 'getAttached'
}

/**
 * All pages of an operation that answers page by page, one after the other, in constant memory. Everyone else has a turn between
 * two, and before each `still` says who the caller is by now, or throws.
 */
export async function* stream(
  service: Service,
  call: Call,
  still: () => Caller | Promise<Caller> = () => call.caller,
): AsyncGenerator<readonly StoredRecord[]> {
  // Few enough that nobody waits long for their turn between two of them.
  const { Limit = Math.min(platformOf(service, call.caller.workspace).supports.page, LIMITS.page), ...input } = Object(call.input) as Record<string, unknown>
  let cursor = input.Cursor
  do {
    const { result } = await execute(service, { ...call, caller: await still(), input: { ...input, Limit, ...(cursor !== undefined && { Cursor: cursor }) } })
    const page = result as Page
    yield page.Records
    cursor = page.NextCursor
    await new Promise(setImmediate)
  } while (typeof cursor === 'string')
}

/** A platform names a field; whoever called has to find it in the input. */
function placed(fault: Fault, operation: Operation | undefined): Fault {
  return operation?.verb === 'update' && !fault.field.includes('.') && fault.field !== operation.record.id
    ? { ...fault, field: `FieldsToUpdate.${fault.field}` }
    : fault
}

/** What is worth trying again soon, whatever the platform says of when. */
const PASSING: readonly ErrorCode[] = ['platform_unavailable', 'rate_limited']

/** Platforms throw what their libraries throw; here it becomes ours, once. What nobody knows is a fault of ours, never "unavailable". */
export function wrapped(service: Service, caller: Caller, error: unknown, operation?: Operation): CrmError {
  if (error instanceof CrmError) return error
  const known = platformOf(service, caller.workspace).classify(error) ?? service.store.classify(error)
  if (known)
    return new CrmError(known.code, known.message, {
      cause: error,
      ...(known.errors && { errors: known.errors.map((fault) => placed(fault, operation)) }),
      ...((PASSING.includes(known.code) || known.retryAfter !== undefined) && { retryAfter: known.retryAfter ?? 1 }),
      ...(known.code === 'outcome_unknown' && {
        hint: 'Ask again with the same Idempotency-Key. Without one, look for what it was to write before you repeat it.',
      }),
      ...(known.hint !== undefined && { hint: known.hint }),
    })
  return new CrmError('internal', 'Something went wrong on our side; the log has it under the request id.', { cause: error })
}
