import type { RecordType } from '../../contract/record.ts'
import type { StoredRecord, Writer } from '../../platforms/platform.ts'
import { idOf } from '../call/records.ts'
import type { Context } from '../call/types.ts'
import { changeTo, type RecordChange } from '../journal/changes.ts'
import type { Service } from '../service.ts'

/** Deletes remembered at most. */
const MOST = 1_000

/** A record before a reference of it was emptied. */
interface Emptying {
  readonly type: RecordType
  readonly before: StoredRecord
}

type Emptyings = Map<string, Emptying>

const interrupted = new WeakMap<Service, Map<string, Emptyings>>()

/**
 * What a delete has emptied before its outcome became unknown. A CRM has no transactions, and no longer tells which records referred to the one that
 * is deleted: without this a retry would neither count nor record them.
 */
export class InterruptedDelete {
  private readonly deletes: Map<string, Emptyings>
  private readonly key: string
  private readonly emptyings: Emptyings

  constructor({ service, caller }: Context, writer: Writer, type: RecordType, id: string) {
    this.deletes = interrupted.get(service) ?? new Map()
    interrupted.set(service, this.deletes)
    this.key = `${caller.workspace.number} ${type.name} ${id}`
    this.emptyings = (writer.earlier && this.deletes.get(this.key)) ?? new Map()
  }

  /** Notes that a record is about to be emptied. */
  note(type: RecordType, before: StoredRecord): void {
    this.emptyings.set(`${type.name} ${idOf(type, before)}`, { type, before })
    this.deletes.set(this.key, this.emptyings)
    const [oldest] = this.deletes.keys()
    if (this.deletes.size > MOST && oldest !== undefined) this.deletes.delete(oldest)
  }

  /** The changes of earlier attempts, apart from these. */
  async others(writer: Writer, changes: readonly RecordChange[]): Promise<RecordChange[]> {
    const known = new Set(changes.map(({ record, id }) => `${record.name} ${id}`))
    const found: RecordChange[] = []
    for (const [name, { type, before }] of this.emptyings) {
      const after = known.has(name) ? undefined : await writer.get(type.name, idOf(type, before))
      if (after) found.push(changeTo(type, 'updated', before, after))
    }
    return found
  }

  /** Forgets them, once the record is deleted. */
  end(): void {
    this.deletes.delete(this.key)
  }
}
