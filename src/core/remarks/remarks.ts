import type { Operation } from '../../contract/operation.ts'
import type { Input } from '../call/types.ts'
import { nearValues } from './near-values.ts'
import type { Reading, Row } from './reading.ts'
import { repeatedCreate } from './repeated-create.ts'
import type { SeenRevisions } from './seen-revisions.ts'
import { staleOverwrite } from './stale-overwrite.ts'

/** A write that was executed. */
export interface ExecutedWrite {
  readonly operation: Operation
  readonly input: Input
  readonly answer: unknown
  /** Its line in the journal; none for a dry run, and where nothing was changed. */
  readonly changeId: string | undefined
  /** Whether the caller has given an idempotency key, and what the transport calls it. */
  readonly hasKey: boolean
  readonly keyName: string
  /** What the caller has seen of the records before. */
  readonly seen?: SeenRevisions
}

const OVERWRITING: readonly string[] = ['update', 'upsert', 'delete', 'convert']

/** What a caller should know about a write that was executed as given: slips that only a person or an agent can judge. */
export async function remarksOn(write: ExecutedWrite, reading: () => Promise<Reading>): Promise<string[]> {
  const { operation, input, answer, changeId, hasKey, keyName, seen } = write
  const { record, verb } = operation
  if (operation.effect === 'read') return []
  const as = await reading()
  const { [record.id]: id, Revision } = Object(answer) as Row
  const before = typeof id === 'string' ? seen?.of(record.name, id) : undefined
  // The next Revision of a store is the next number, so that most writes need not look. Deletes and conversions are answered without one.
  const mayBeStale = before !== undefined && input.IfRevision === undefined && Revision !== before + 1 && OVERWRITING.includes(verb)
  const remarks = await Promise.all([
    // First, since the first remark is told at any budget.
    changeId === undefined || !mayBeStale ? [] : staleOverwrite({ operation, input, changeId, id: id as string, seen: before }, as),
    nearValues(operation, input, changeId, as),
    changeId === undefined || hasKey ? [] : repeatedCreate(operation, changeId, keyName, as),
  ])
  return remarks.flat()
}
