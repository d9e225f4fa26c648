import { CrmError, type ErrorCode } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { RECORD_TYPES } from '../../contract/operations.ts'
import { Change } from '../../contract/records/change.ts'
import { Lead } from '../../contract/records/lead.ts'
import type { Condition, EarlierAttempt, Platform, Writer } from '../../platforms/platform.ts'
import type { AuditLine, IdempotencyEntry, StoreWriter } from '../../platforms/store.ts'
import { dryRun } from '../call/dry-run.ts'
import type { Call, Service } from '../service.ts'
import { type Context, home, type Prepared, type Written } from '../verbs/context.ts'
import { byOf, lineOf } from './changes.ts'
import { decided, mustConfirm, plan, planOf } from './confirmations.ts'
import { answerKept, claim, type IdempotencyKey, isExpired, isOpen, keptAnswer, openKey, takenUp } from './idempotency.ts'

/** What became of a call. */
export interface Outcome {
  readonly result: unknown
  /** The result as JSON, where it has been written out already. */
  readonly json?: string | undefined
  /** The line of the audit that a write has left. */
  readonly changeId?: string | undefined
  /** Whether the answer is that of an earlier call with the same key. */
  readonly replayed?: boolean
}

/** A write on its way: what is asked, and how it came in. */
export interface Write extends Context {
  readonly call: Call
  /** Set where it must not be carried out twice. */
  readonly idempotency: IdempotencyKey | undefined
}

export type Prepare = (context: Context) => Prepared | Promise<Prepared>

/** Carries out a write: once for each idempotency key, with its line in the audit and its event, or not at all. */
export async function carryOut(write: Write, prepare: Prepare, begun?: () => void): Promise<Outcome> {
  if (write.call.dryRun) {
    begun?.()
    return dryRun(write, await prepare(write))
  }
  const done = claim(write)
  try {
    const token = write.call.confirmation !== undefined
    if (token || mustConfirm(write)) {
      const kept = await confirmed(write, prepare)
      if (kept) return kept
    }
    const ready = makeReady(write, prepare)
    const prepared = ready instanceof Promise ? await ready : ready
    const whole = token ? decided(write, prepared, (writer) => planOf(write, writer)) : prepared
    const outcome = begin(write, whole)
    if (home(write, prepared.on).supports.ordered) begun?.()
    return await outcome
  } finally {
    begun?.()
    done?.()
  }
}

/** Refuses what has to be confirmed and is not, and a token that does not fit, needed or not. Resolves to the answer of what was carried out before. */
async function confirmed(write: Write, prepare: Prepare): Promise<Outcome | undefined> {
  const { service, caller, call } = write
  const { number } = caller.workspace
  const journal = service.store.journal(number)
  const kept = await keptAnswer(write, journal)
  // What was begun before has been confirmed before.
  if (kept || (await isOpen(write, journal))) return kept
  if (call.confirmation !== undefined) await planOf(write, service.store.reader(number))
  else {
    const refusal = await plan(write, prepare)
    if (refusal) throw refusal
  }
  return undefined
}

/** Prepares a write. One that can no longer be prepared, because it was carried out before, is left to be replayed. */
export function makeReady(write: Write, prepare: Prepare): Prepared | Promise<Prepared> {
  async function unlessKept(error: unknown): Promise<Prepared> {
    if (!(await keptAnswer(write, write.service.store.journal(write.caller.workspace.number)))) throw error
    return { on: write.operation.record, work: () => Promise.reject(error) }
  }
  try {
    const prepared = prepare(write)
    return prepared instanceof Promise ? prepared.catch(unlessKept) : prepared
  } catch (error) {
    return unlessKept(error)
  }
}

/** Carries out what has been prepared; it has its place in the store when this returns. */
export function begin(write: Write, prepared: Prepared): Promise<Outcome> {
  const { service, caller } = write
  const platform = home(write, prepared.on)
  if (platform !== service.store) return apart(write, prepared)
  return settled([write], () => service.store.write(caller.workspace.number, (writer) => within(write, prepared, writer)))
}

/** So often a commit is asked about whose outcome nobody knows. */
const ASKED = 3

/**
 * Carries out writes of one transaction. Where the outcome is unknown and all of them have keys, they are carried out again: the
 * keys tell whether they have been already.
 */
export function settled<T>(writes: readonly Write[], carryOut: () => Promise<T>, asked = 1): Promise<T> {
  return carryOut().catch((error) => {
    const [{ service }] = writes as [Write]
    if (service.store.classify(error)?.code !== 'outcome_unknown' || !writes.every(({ idempotency: once }) => once)) throw error
    if (asked === ASKED) throw new CrmError('platform_unavailable', 'The store was lost at the moment of the commit.', { cause: error, retryAfter: 1 })
    return settled(writes, carryOut, asked + 1)
  })
}

/** A write inside a transaction of the store, journal and all. */
export async function within(write: Write, prepared: Prepared, writer: StoreWriter): Promise<Outcome> {
  const kept = write.idempotency && (await writer.findIdempotencyKey(write.caller.userId, write.idempotency.key))
  const answer = kept && answerKept(write, kept)
  return answer ?? record(write, await prepared.work(writer), writer)
}

/**
 * A write on a platform that is not the store. Its key is claimed before anything is sent and settled afterwards, so that a call which
 * nobody saw the end of is never repeated blindly: whoever comes with the same key is told how it ended.
 */
async function apart(write: Write, prepared: Prepared): Promise<Outcome> {
  const { service, caller, idempotency: once, call } = write
  const { number } = caller.workspace
  const platform = home(write, prepared.on)
  const begun = once && (await service.store.write(number, (writer) => taken(write, once, writer, platform)))
  if (begun?.answer) return begun.answer
  const again = begun?.again
  const { claim, unclaim } = again ? {} : prepared
  if (claim) await service.store.write(number, claim)
  const recorded = (written: Written) => service.store.write(number, (writer) => record(write, written, writer))
  async function work(writer: Writer): Promise<() => Promise<Outcome>> {
    // What a platform cannot offer of the journal is refused while the write is prepared.
    const written = await prepared.work(writer as StoreWriter)
    if (platform.supports.transactions) return () => recorded(written)
    // Whoever has waited for the record finds the line of what became of it.
    const outcome = recorded(written)
    await outcome.catch(() => {})
    return () => outcome
  }
  async function unlessOpen(error: unknown): Promise<never> {
    // Also where it could not be found out this time what became of the call before.
    const open = isUnknown(write, error) || (again !== undefined && isPassing(write, error))
    if (begun || (unclaim && !open))
      await service.store.write(number, async (writer) => {
        if (!open) await unclaim?.(writer)
        if (once && begun) await letGo(writer, write, once, begun, open)
      })
    throw error
  }
  const end = await platform.write(number, work, { earlier: again, requestGroup: call.requestGroup, isKnown: known(write) }).catch(unlessOpen)
  return end()
}

interface Taken {
  /** The answer of the call before. */
  readonly answer?: Outcome
  /** How the call before was left. */
  readonly again?: EarlierAttempt | undefined
  readonly kept?: IdempotencyEntry
}

/** Takes a key for a call: for the first time, or because nobody knows how the one before has ended. */
async function taken(write: Write, once: IdempotencyKey, writer: StoreWriter, platform: Platform): Promise<Taken> {
  const found = await writer.findIdempotencyKey(write.caller.userId, once.key)
  const before = found && !isExpired(write, found) ? found : undefined
  const answer = before && answerKept(write, before)
  if (answer) return { answer }
  const open = before && takenUp(write, before, platform.supports.reconcileMs)
  const again = open && { ...open, changesByOthers: changesByOthers(write, open.since) }
  const at = again && !again.settled ? before.at : writer.now()
  const kept = openKey(once, at, { since: again?.since ?? at, answered: false })
  await writer.putIdempotencyKey(write.caller.userId, once.key, kept)
  return { again, kept }
}

/** Lets go of a key because its call was refused, unless nobody knows whether it was. */
async function letGo(writer: StoreWriter, write: Write, once: IdempotencyKey, { kept }: Taken, open: boolean): Promise<void> {
  if (!kept || !open) return writer.releaseIdempotencyKey(write.caller.userId, once.key)
  const { since } = JSON.parse(kept.answer as string) as { since: string }
  await writer.putIdempotencyKey(write.caller.userId, once.key, openKey(once, kept.at, { since, answered: true }))
}

/** What the journal says that others have done to a record since a call was begun; that call itself has left no line yet. */
function changesByOthers({ service, caller }: Write, since: string): EarlierAttempt['changesByOthers'] {
  const reader = service.store.reader(caller.workspace.number)
  return async (eventType, recordId) => {
    const where: Condition[] = [
      { field: 'RecordID', family: 'text', operator: 'eq', value: recordId },
      { field: 'EventType', family: 'text', operator: 'eq', value: eventType },
      { field: Change.createdField, family: 'timestamp', operator: 'gt', value: since },
    ]
    return (await reader.find(Change.name, { where, order: { field: Change.createdField, descending: true }, limit: LIMITS.hanging })).records
  }
}

/** Whether the journal knows of a record, so that it was not made by a call whose end nobody saw. */
function known({ service, caller, operation, input }: Write): (id: string) => Promise<boolean> {
  const reader = service.store.reader(caller.workspace.number)
  const about = (value: string) =>
    reader.find(Change.name, {
      where: [{ field: 'RecordID', family: 'text', operator: 'eq', value }],
      order: { field: Change.createdField, descending: true },
      limit: LIMITS.hanging,
    })
  return async (id) => {
    if ((await about(id)).records.some(({ Outcome }) => Outcome === 'ok')) return true
    // Notes and comments are told of in the lines of what they hang on.
    const on = input[operation.record.id]
    if (typeof on !== 'string') return false
    const { records } = await about(on)
    return records.some(({ After }) => Object.values(Object(After)).includes(id))
  }
}

function codeOf(write: Write, error: unknown): ErrorCode | undefined {
  return (error instanceof CrmError ? error : home(write, write.operation.record).classify(error))?.code
}

const isUnknown = (write: Write, error: unknown) => codeOf(write, error) === 'outcome_unknown'

function isPassing(write: Write, error: unknown): boolean {
  const code = codeOf(write, error)
  return code === undefined || !TELLING.has(code)
}

/** Leaves the line, the event and the key of what was written. */
async function record(write: Write, { answer, change }: Written, writer: StoreWriter): Promise<Outcome> {
  const { caller, operation, idempotency: once, call } = write
  const after = change?.after ? JSON.stringify(change.after) : null
  const by = byOf(call, operation, once?.key ?? null)
  const changeId = change && (await writer.appendAuditLine(lineOf(change, by, after)))
  // An answer is often the very record that was just written out.
  const json = change?.after === answer && after !== null ? after : undefined
  if (once) {
    // What the line holds already is not kept twice.
    const text = operation.shownOnce
      ? JSON.stringify({ ...answer, [operation.shownOnce]: null, Hint: SHOWN })
      : json === undefined
        ? JSON.stringify(answer)
        : null
    await writer.putIdempotencyKey(caller.userId, once.key, {
      fingerprint: once.fingerprint,
      at: writer.now(),
      state: 'done',
      answer: text,
      changeId: changeId ?? null,
    })
  }
  return { result: answer, json, changeId }
}

const SHOWN = 'This answer was kept without its secret, which is shown once and never again. Make another if it was lost.'

/** Refusals that say something about the caller rather than about the moment. */
const TELLING: ReadonlySet<ErrorCode> = new Set(['invalid_input', 'forbidden', 'not_found', 'conflict', 'unsupported', 'platform_rejected', 'too_large'])

/**
 * Leaves a line of a refusal: of every write that was refused, and of every call that was forbidden. It is written on its own,
 * and where it cannot be, the refusal is answered all the same.
 */
export async function recordRefusal(service: Service, operation: Operation, call: Call, error: CrmError): Promise<void> {
  // A plan has a line of its own.
  if (call.dryRun || error.plan || !TELLING.has(error.code) || (operation.effect === 'read' && error.code !== 'forbidden')) return
  const line: AuditLine = {
    ...byOf(call, operation, call.idempotencyKey ?? null),
    ...subjectOf(operation, call.input),
    before: null,
    after: null,
    outcome: error.code,
    eventType: null,
    owner: null,
    moved: false,
  }
  try {
    await service.store.write(call.caller.workspace.number, (writer) => writer.appendAuditLine(line))
  } catch {
    // A store that cannot be written to has already told so, and will again.
  }
}

/** The record a call was about, if it says so in a way that can be kept. */
function subjectOf({ verb, record }: Operation, input: unknown): { readonly recordType: string; readonly recordId: string | null } {
  const given = Object(input) as { readonly [name: string]: unknown }
  const type = verb === 'unlink' ? Lead : verb === 'eraseRecord' ? (RECORD_TYPES.find(({ name }) => name === given.RecordType) ?? record) : record
  const id = verb === 'eraseRecord' ? given.RecordID : given[type.id]
  return { recordType: type.name, recordId: typeof id === 'string' && /^[\w:.-]{1,255}$/.test(id) ? id : null }
}
