import { hash } from 'node:crypto'
import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import type { KnownAttempt, Platform } from '../../platforms/platform.ts'
import type { IdempotencyEntry, JournalReader } from '../../platforms/store.ts'
import { optionName } from '../call/option-name.ts'
import type { CheckedCall, IdempotencyKey, Input, Outcome } from '../call/types.ts'

export const inProgress = () => new CrmError('in_progress', 'A call with this Idempotency-Key is still running.', { retryAfter: 1 })

/** A digest of an operation and its input, whatever order the members came in. */
export function fingerprintOf(operation: Pick<Operation, 'id'>, input: Input): string {
  return hash('sha256', `${operation.id} ${stable(input)}`, 'base64url')
}

/** A value as JSON, the same whatever order its members are in. */
export function stable(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(stable)}]`
  let members = ''
  for (const name of Object.keys(value).sort()) members += `${members && ','}${JSON.stringify(name)}:${stable((value as Input)[name])}`
  return `{${members}}`
}

/** The entry of a call's key, unless it has expired. Refuses a key that was used for another operation or input. */
export async function findEntry(checked: CheckedCall, journal: Pick<JournalReader, 'findIdempotencyKey'>): Promise<IdempotencyEntry | undefined> {
  const { call, caller, idempotency, service } = checked
  const entry = idempotency && (await journal.findIdempotencyKey(caller.userId, idempotency.key))
  if (!entry || ageOf(checked, entry) > service.retention.keyMs) return undefined
  if (entry.fingerprint !== idempotency.fingerprint)
    throw new CrmError('conflict', `This ${optionName('IdempotencyKey', call)} was used with another operation or input.`, {
      hint: 'Use a new key for each new call, and the same key only to repeat a call.',
    })
  return entry
}

/** The answer stored under a key; undefined while its call has none. */
export function storedAnswer(entry: IdempotencyEntry | undefined): Outcome | undefined {
  if (entry?.state !== 'done') return undefined
  if (entry.answer === null) throw new CrmError('not_found', 'This call was already executed, and the record it wrote has been erased since.')
  return { result: JSON.parse(entry.answer), json: entry.answer, changeId: entry.changeId ?? undefined, replayed: true }
}

/** What is stored with a key whose call has not ended, or has ended with an unknown outcome. */
interface OpenState {
  /** When the first call with the key began. */
  readonly since: string
  /** From when on what is not visible was not executed. Absent in entries of earlier versions. */
  readonly settles?: string | undefined
  /** Whether the caller was answered `outcome_unknown`; otherwise the call may still be running in another process. */
  readonly answered: boolean
  /** What the platform knows of the attempts so far. */
  readonly known?: KnownAttempt | undefined
  /** The confirmation that the call has used. */
  readonly planId?: string | undefined
}

export function openEntry({ fingerprint }: IdempotencyKey, at: string, state: OpenState): IdempotencyEntry {
  return { fingerprint, at, state: 'open', answer: JSON.stringify(state), changeId: null }
}

export function openStateOf(entry: IdempotencyEntry | undefined): OpenState | undefined {
  return entry?.state === 'open' ? (JSON.parse(entry.answer ?? 'null') as OpenState) : undefined
}

/** The same entry, once the caller is answered `outcome_unknown`. */
export function answeredEntry(entry: IdempotencyEntry, { settles, known }: Pick<OpenState, 'settles' | 'known'>): IdempotencyEntry {
  const state = openStateOf(entry)
  return { ...entry, answer: JSON.stringify({ ...state, settles, known: known ?? state?.known, answered: true }) }
}

/** How long an open call counts as running on a platform that cannot reconcile. */
const RUNNING_MS = 60_000

/**
 * When a write settles that is given up only so much later. A request that was given up may still be executed: the platform has `reconcileMs`
 * for that, counted from the last moment at which the request can have been under way.
 */
export function settlesAfter({ service }: CheckedCall, { supports }: Platform, ms = 0): string {
  return new Date(service.now().getTime() + ms + supports.reconcileMs).toISOString()
}

/** The longest that a call can have a request under way: it is sent while the call may take its time, and then given up. */
export const longestCallMs = ({ service }: CheckedCall, { supports }: Platform) => service.callTimeoutMs + supports.requestMs

/**
 * How a call continues whose key is open: refused while the earlier call may be running; afterwards reconciled, where the platform can find
 * out what was written. Until `waitMs` are over, nothing may be sent.
 */
export function resume(checked: CheckedCall, entry: IdempotencyEntry, platform: Platform): OpenState & { readonly waitMs: number } {
  const state = openStateOf(entry) as OpenState
  const age = ageOf(checked, entry)
  const { reconcileMs } = platform.supports
  if (!state.answered && age < (reconcileMs > 0 ? checked.service.callTimeoutMs : RUNNING_MS)) throw inProgress()
  if (reconcileMs === 0)
    throw new CrmError('outcome_unknown', 'An earlier call with this Idempotency-Key began, and its outcome is unknown.', {
      hint: 'Check whether it was written before you repeat it with another key.',
    })
  const settles = state.settles === undefined ? Date.parse(entry.at) + longestCallMs(checked, platform) + reconcileMs : Date.parse(state.settles)
  return { ...state, waitMs: Math.max(0, settles - checked.service.now().getTime()) }
}

const ageOf = ({ service }: CheckedCall, { at }: IdempotencyEntry) => service.now().getTime() - Date.parse(at)
