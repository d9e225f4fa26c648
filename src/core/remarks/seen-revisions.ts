import { LIMITS } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { recordType } from '../../contract/operations.ts'
import { getManyChanges } from '../../contract/records/change.ts'
import { isObject } from '../../helpers/is-object.ts'
import { type Reading, type Row, readRows } from './reading.ts'

/** How many records are remembered in all; the one that was seen longest ago goes first. */
const MOST = 20_000

/** The Revision at which a caller has seen each record last. Callers may share the entries, which bounds them together. */
export class SeenRevisions {
  private readonly caller: string
  private readonly entries: Map<string, number>

  constructor(caller = '', entries = new Map<string, number>()) {
    this.caller = caller
    this.entries = entries
  }

  of(type: string, id: string): number | undefined {
    return this.entries.get(this.keyOf(type, id))
  }

  /** Remembers the records in an answer. */
  note({ record, verb }: Operation, answer: unknown): void {
    if (!isObject(answer)) return
    for (const row of Array.isArray(answer.Records) ? (answer.Records as readonly Row[]) : [answer]) {
      if (verb === 'search') this.remember(row.RecordType as string, recordType(row.RecordType as string).id, Object(row.Record))
      else if (verb === 'undoChange') this.noteImage(row.RecordType, row.Record)
      else this.remember(record.name, record.id, row)
    }
  }

  /** Remembers what the undo of a batch has left, which its answer only counts. */
  async noteUndone({ UndoneBatchID, BatchID }: Row, reading: Reading): Promise<void> {
    if (UndoneBatchID === undefined || BatchID === undefined) return
    const lines = await readRows(reading, getManyChanges, { Filters: { BatchID }, Select: ['RecordType', 'RecordID', 'After'], Limit: LIMITS.page })
    // The newest line is first.
    for (const { RecordType, After } of lines.toReversed()) this.noteImage(RecordType, After)
  }

  private noteImage(type: unknown, image: unknown): void {
    if (typeof type === 'string' && isObject(image)) this.remember(type, recordType(type).id, image)
  }

  private keyOf(type: string, id: string): string {
    return `${this.caller} ${type} ${id}`
  }

  private remember(type: string, idField: string, { [idField]: id, Revision }: Row): void {
    if (typeof id !== 'string' || typeof Revision !== 'number') return
    const key = this.keyOf(type, id)
    this.entries.delete(key)
    this.entries.set(key, Revision)
    const [oldest] = this.entries.keys()
    if (this.entries.size > MOST && oldest !== undefined) this.entries.delete(oldest)
  }
}
