import type { Condition, Order, StoredRecord } from '../../platform.ts'
import type { Asked, Created, Each, Wire, WirePage } from '../engine/wire.ts'

export type Change = Parameters<Wire['update']>[1][number]

/** The records of one type, as the wire asks for them. */
export interface Handler {
  narrows(condition: Condition): ReturnType<Wire['narrows']>
  orders(order: Order): boolean
  get(ids: readonly string[]): Promise<StoredRecord[]>
  find(asked: Asked): Promise<WirePage>
  count(asked: Parameters<Wire['count']>[1]): Promise<number>
  create(records: readonly StoredRecord[], on?: string): Promise<Each<Created>[]>
  update(changes: readonly Change[]): Promise<Each<StoredRecord | boolean>[]>
  delete(ids: readonly string[]): Promise<Each<boolean>[]>
}
