import { hash } from 'node:crypto'
import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import type { IdempotencyEntry, JournalReader } from '../../platforms/store.ts'
import type { CheckedCall, IdempotencyKey, Input, Outcome } from '../call/types.ts'

export const inProgress = () => new CrmError('in_progress', 'A call with this Idempotency-Key is still running.', { retryAfter: 1 })

/** A digest of an operation and its input, whatever order the members came in. */
export function fingerprintOf(operation: Operation, input: Input): string {
  return hash('sha256', `${operation.id} ${stable(input)}`, 'base64url')
}

function stable(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(stable)}]`
  let members = ''
  for (const name of Object.keys(value).sort()) members += `${members && ','}${JSON.stringify(name)}:${stable((value as Input)[name])}`
  return `{${members}}`
}

/** The entry of a call's key, unless it has expired. Refuses a key that was used for another operation or input. */
export async function findEntry(checked: CheckedCall, journal: Pick<JournalReader, 'findIdempotencyKey'>): Promise<IdempotencyEntry | undefined> {
  const { caller, idempotency, service } = checked
  const entry = idempotency && (await journal.findIdempotencyKey(caller.userId, idempotency.key))
  if (!entry || ageOf(checked, entry) > service.retention.keyMs) return undefined
  if (entry.fingerprint !== idempotency.fingerprint)
    throw new CrmError('conflict', 'This Idempotency-Key was used with another operation or input.', {
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
  /** Whether the caller was answered `outcome_unknown`; otherwise the call may still be running in another process. */
  readonly answered: boolean
  /** The confirmation that the call has used. */
  readonly planId?: string | undefined
}

export function openEntry({ fingerprint }: IdempotencyKey, at: string, state: OpenState): IdempotencyEntry {
  return { fingerprint, at, state: 'open', answer: JSON.stringify(state), changeId: null }
}

export function openStateOf(entry: IdempotencyEntry | undefined): OpenState | undefined {
  return entry?.state === 'open' ? (JSON.parse(entry.answer ?? 'null') as OpenState) : undefined
}

/** How long an open call counts as running on a platform that cannot reconcile. */
const RUNNING_MS = 60_000

/**
 * How a call continues whose key is open: refused while the earlier call may be running; afterwards reconciled, where the platform can find
 * out within `reconcileMs` what was written.
 */
export function resume(checked: CheckedCall, entry: IdempotencyEntry, reconcileMs: number): OpenState & { readonly settled: boolean } {
  const state = openStateOf(entry) as OpenState
  const settled = ageOf(checked, entry) >= (reconcileMs || RUNNING_MS)
  if (!state.answered && !settled) throw inProgress()
  if (reconcileMs === 0)
    throw new CrmError('outcome_unknown', 'An earlier call with this Idempotency-Key began, and its outcome is unknown.', {
      hint: 'Check whether it was written before you repeat it with another key.',
    })
  return { ...state, settled }
}

const ageOf = ({ service }: CheckedCall, { at }: IdempotencyEntry) => service.now().getTime() - Date.parse(at)
