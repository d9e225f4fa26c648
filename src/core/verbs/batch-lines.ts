import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { Change } from '../../contract/records/change.ts'
import type { Condition, Reader, StoredRecord } from '../../platforms/platform.ts'
import { notFound, seesRecord } from '../access/access.ts'
import { findRecords } from '../call/records.ts'
import type { Context } from '../call/types.ts'
import type { Progress, StoredChange } from './undo.ts'

/** The changes of a batch that one call undoes. */
export interface BatchLines {
  /** Newest first. */
  readonly lines: readonly StoredChange[]
  /** How many others are left. */
  readonly more: number
  /** The batch with which earlier calls have undone some already. */
  readonly undoneBy: string | undefined
  /** As those calls have left the records. */
  readonly revisions: Progress['revisions']
}

/** The changes of a batch that are still to be undone: as many as fit into one call. */
export async function linesToUndo({ service, caller }: Context, batchId: string): Promise<BatchLines> {
  const reader = service.store.reader(caller.workspace.number)
  const left: string[] = []
  let undoneBy: string | undefined
  let [seen, unseen] = [0, 0]
  for await (const page of pagesOf(reader, [
    is('BatchID', batchId),
    is('Outcome', 'ok'),
    { field: 'EventType', family: 'text', operator: 'ne', value: null },
  ])) {
    const ids = page.map(({ ChangeID }) => ChangeID as string)
    const undoing = await allOf(reader, [isIn('Undoes', ids)], ['Undoes', 'BatchID'])
    const undone = new Set(undoing.map(({ Undoes }) => Undoes))
    undoneBy ??= undoing.find(({ BatchID }) => BatchID !== null)?.BatchID as string | undefined
    left.push(...ids.filter((id) => !undone.has(id)))
    const visible = page.filter((line) => seesRecord(caller, Change, line)).length
    seen += visible
    unseen += page.length - visible
  }
  if (seen === 0) throw notFound(Change, batchId, 'BatchID')
  if (unseen > 0) throw new CrmError('forbidden', 'Some changes of this batch are of records that you may not see.', { hint: 'An admin can undo it.' })
  if (left.length === 0)
    throw new CrmError('conflict', 'This batch was undone already.', { ...(undoneBy && { hint: `To apply it again, undo the batch ${undoneBy}.` }) })
  const lines = await findRecords(reader, Change, { where: [isIn('ChangeID', left.slice(0, LIMITS.batch))], order: NEWEST, limit: LIMITS.batch })
  return { lines, more: left.length - lines.length, undoneBy, revisions: undoneBy === undefined ? new Map() : await revisionsAfter(reader, undoneBy, lines) }
}

/** The Revisions with which a batch that undid later changes has left the records of these lines. */
async function revisionsAfter(reader: Reader, undoneBy: string, lines: readonly StoredChange[]): Promise<Progress['revisions']> {
  const records = [...new Set(lines.flatMap(({ RecordID }) => RecordID ?? []))]
  const undoing = await allOf(reader, [is('BatchID', undoneBy), isIn('RecordID', records)], ['Undoes', 'RecordID', 'After'])
  const undone = await allOf(
    reader,
    [
      isIn(
        'ChangeID',
        undoing.flatMap(({ Undoes }) => (typeof Undoes === 'string' ? [Undoes] : [])),
      ),
    ],
    ['Before'],
  )
  const before = new Map(undone.map(({ ChangeID, Before }) => [ChangeID, (Before as StoredRecord | null)?.Revision]))
  const revisions: Progress['revisions'] = new Map()
  for (const { RecordID, Undoes, After } of undoing) {
    const [was, is] = [before.get(Undoes as string), (After as StoredRecord | null)?.Revision]
    if (was !== undefined && is !== undefined && !revisions.has(RecordID as string)) revisions.set(RecordID as string, { was, is })
  }
  return revisions
}

const NEWEST = { field: Change.id, descending: true } as const

const is = (field: string, value: string): Condition => ({ field, family: 'text', operator: 'eq', value })
const isIn = (field: string, value: readonly string[]): Condition => ({ field, family: 'text', operator: 'in', value })

/** Lines, newest first, page by page. */
async function* pagesOf(reader: Reader, where: readonly Condition[], fields: readonly string[] = ['OwnerID']): AsyncGenerator<readonly StoredRecord[]> {
  let last: StoredRecord | undefined
  for (let more = true; more; ) {
    const id = last?.ChangeID as string | undefined
    const page = await reader.find(Change.name, { where, order: NEWEST, limit: LIMITS.batch, fields, ...(id !== undefined && { after: { value: id, id } }) })
    yield page.records
    last = page.records.at(-1)
    more = page.more && last !== undefined
  }
}

async function allOf(reader: Reader, where: readonly Condition[], fields: readonly string[]): Promise<StoredRecord[]> {
  const all: StoredRecord[] = []
  for await (const page of pagesOf(reader, where, fields)) all.push(...page)
  return all
}
