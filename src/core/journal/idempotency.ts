import { hash } from 'node:crypto'
import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import type { EarlierAttempt } from '../../platforms/platform.ts'
import type { IdempotencyEntry, JournalReader, Store } from '../../platforms/store.ts'
import type { Input } from '../call/check.ts'
import type { Outcome, Write } from './journal.ts'

/** Keys being used in this process right now. */
const running = new WeakMap<Store, Set<string>>()

/** Claims the key of a write, or refuses because another call is using it right now. Call the answer to let it go. */
export function claim({ service, caller, idempotency: once }: Write): (() => void) | undefined {
  if (!once) return undefined
  const claims = running.get(service.store) ?? new Set()
  running.set(service.store, claims)
  const name = `${caller.workspace.number} ${caller.userId} ${once.key}`
  if (claims.has(name)) throw inProgress()
  claims.add(name)
  return () => claims.delete(name)
}

const inProgress = () => new CrmError('in_progress', 'A call with this Idempotency-Key is being carried out right now.', { retryAfter: 1 })

/** An idempotency key, and what it stands for: the operation and its input, whatever order its members came in. */
export interface IdempotencyKey {
  readonly key: string
  readonly fingerprint: string
}

export function idempotencyKeyOf(operation: Operation, input: Input, key: string): IdempotencyKey {
  return { key, fingerprint: hash('sha256', `${operation.id} ${stable(input)}`, 'base64url') }
}

function stable(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(stable)}]`
  let members = ''
  for (const name of sorted(Object.keys(value))) members += `${members && ','}${JSON.stringify(name)}:${stable((value as Record<string, unknown>)[name])}`
  return `{${members}}`
}

/** In place, as `sort` does it; for the few members that an input has this takes nothing from the heap. */
function sorted(names: string[]): string[] {
  if (names.length > 16) return names.sort()
  for (let i = 1; i < names.length; i++) {
    const name = names[i] as string
    let at = i
    for (; at > 0 && (names[at - 1] as string) > name; at--) names[at] = names[at - 1] as string
    names[at] = name
  }
  return names
}

/** What is kept of a key whose call has not ended, as far as anybody knows. */
interface Open {
  /** When the call was begun for the first time. */
  readonly since: string
  /** Whether it was answered that nobody knows how it ended; otherwise it may still be under way, in another process. */
  readonly answered: boolean
}

/** A key whose call is under way, or has ended without anybody knowing how. */
export function openKey({ fingerprint }: IdempotencyKey, at: string, open: Open): IdempotencyEntry {
  return { fingerprint, at, state: 'open', answer: JSON.stringify(open), changeId: null }
}

/** How long a call that nobody saw the end of counts as still running, where nobody can find out how it ended. */
const RUNNING_MS = 60_000

/**
 * What is to be made of a write whose key is open: it is refused while it may be under way, and afterwards taken up again by a platform that
 * can find what was written within so much time.
 */
export function takenUp(write: Write, kept: IdempotencyEntry, settleMs: number): Omit<EarlierAttempt, 'changesByOthers'> {
  const { since, answered } = JSON.parse(kept.answer ?? 'null') as Open
  const settled = ageOf(write, kept) >= (settleMs || RUNNING_MS)
  if (!answered && !settled) throw inProgress()
  if (settleMs === 0)
    throw new CrmError('outcome_unknown', 'A call with this Idempotency-Key was begun, and nobody saw how it ended.', {
      hint: 'Look for what it was to write before you repeat it with another key.',
    })
  return { since, settled }
}

/** The answer that is kept of a write, if it has been carried out before. Refuses when its key has meant something else. */
export async function keptAnswer(write: Write, journal: Pick<JournalReader, 'findIdempotencyKey'>): Promise<Outcome | undefined> {
  const kept = write.idempotency && (await journal.findIdempotencyKey(write.caller.userId, write.idempotency.key))
  return kept && answerKept(write, kept)
}

/** Whether a write with the same key was begun before, and nobody has seen how it ended. */
export async function isOpen(write: Write, journal: Pick<JournalReader, 'findIdempotencyKey'>): Promise<boolean> {
  const kept = write.idempotency && (await journal.findIdempotencyKey(write.caller.userId, write.idempotency.key))
  return kept?.state === 'open' && !isExpired(write, kept)
}

/** What is kept under the key of a write, as its answer. */
export function answerKept(write: Write, kept: IdempotencyEntry): Outcome | undefined {
  if (isExpired(write, kept)) return undefined
  if (kept.fingerprint !== write.idempotency?.fingerprint) {
    throw new CrmError('conflict', 'This Idempotency-Key was used with another operation or input.', {
      hint: 'Take a new key for a new call, and the same key only to repeat the same one.',
    })
  }
  if (kept.state === 'open') return undefined
  if (kept.answer === null) throw new CrmError('not_found', 'This call was carried out, and what it wrote has been erased since.')
  return { result: JSON.parse(kept.answer), json: kept.answer, changeId: kept.changeId ?? undefined, replayed: true }
}

const ageOf = ({ service }: Write, { at }: IdempotencyEntry) => service.now().getTime() - Date.parse(at)
export const isExpired = (write: Write, kept: IdempotencyEntry) => ageOf(write, kept) > write.service.retention.keyMs
