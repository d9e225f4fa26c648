import type { Condition, Order, StoredRecord, Where } from '../../platform.ts'
import type { AttachedPage, ChangeQuery, Created, CrmDriver, DriverPage, DriverQuery, PerItem } from '../engine/driver.ts'

export type Change = Parameters<CrmDriver['update']>[1][number]

/** The records of one type, as the driver needs them. */
export interface Handler {
  narrows(condition: Condition): ReturnType<CrmDriver['narrows']>
  /** The same for conditions that are combined; they are not narrowed where it is missing. */
  narrowsTree?(where: Where): 'roughly' | 'not'
  orders(order: Order): boolean
  get(ids: readonly string[]): Promise<StoredRecord[]>
  find(query: DriverQuery): Promise<DriverPage>
  /** Records that contain the words of a text, newest first; none where it is missing. */
  search?(text: string, limit: number): Promise<StoredRecord[]>
  count(query: Parameters<CrmDriver['count']>[1]): Promise<number>
  /** Those of all parent records that were changed since a moment, for types that belong to others. */
  changed?(query: ChangeQuery): Promise<AttachedPage>
  /** Those of these, with the records that they belong to. */
  getAttached?(ids: readonly string[]): Promise<AttachedPage>
  /** Those that belong to these records of one type, by their ids alone. */
  attachedTo?(on: string, parents: readonly string[]): Promise<DriverPage>
  /** Those of all parent records, and of none, by when they were created. */
  countAttached?(where: readonly Condition[]): Promise<number>
  findAttached?(query: DriverQuery): Promise<DriverPage>
  create(records: readonly StoredRecord[], on?: string): Promise<PerItem<Created>[]>
  update(changes: readonly Change[]): Promise<PerItem<StoredRecord | boolean>[]>
  delete(ids: readonly string[]): Promise<PerItem<boolean>[]>
}
