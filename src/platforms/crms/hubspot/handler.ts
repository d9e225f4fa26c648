import type { Condition, Order, StoredRecord } from '../../platform.ts'
import type { Created, CrmDriver, DriverPage, DriverQuery, PerItem } from '../engine/driver.ts'

export type Change = Parameters<CrmDriver['update']>[1][number]

/** The records of one type, as the driver needs them. */
export interface Handler {
  narrows(condition: Condition): ReturnType<CrmDriver['narrows']>
  orders(order: Order): boolean
  get(ids: readonly string[]): Promise<StoredRecord[]>
  find(query: DriverQuery): Promise<DriverPage>
  count(query: Parameters<CrmDriver['count']>[1]): Promise<number>
  create(records: readonly StoredRecord[], on?: string): Promise<PerItem<Created>[]>
  update(changes: readonly Change[]): Promise<PerItem<StoredRecord | boolean>[]>
  delete(ids: readonly string[]): Promise<PerItem<boolean>[]>
}
