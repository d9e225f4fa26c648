import type { Condition, Order, StoredRecord } from '../../platform.ts'
import type { Created, DriverPage, DriverQuery, PerItem } from '../engine/driver.ts'
import type { Change, Handler } from './handler.ts'

/** A record type whose handler needs metadata that HubSpot refuses the app. Each call retries to load it until that succeeds. */
export class Withheld implements Handler {
  private readonly ready: () => Promise<Handler>
  private handler: Handler | undefined

  constructor(ready: () => Promise<Handler>) {
    this.ready = ready
  }

  private async known(): Promise<Handler> {
    this.handler ??= await this.ready()
    return this.handler
  }

  narrows(condition: Condition): ReturnType<Handler['narrows']> {
    return this.handler?.narrows(condition) ?? 'not'
  }

  orders(order: Order): boolean {
    return this.handler?.orders(order) ?? false
  }

  async get(ids: readonly string[]): Promise<StoredRecord[]> {
    return (await this.known()).get(ids)
  }

  async find(query: DriverQuery): Promise<DriverPage> {
    return (await this.known()).find(query)
  }

  async count(query: Parameters<Handler['count']>[0]): Promise<number> {
    return (await this.known()).count(query)
  }

  async create(records: readonly StoredRecord[], on?: string): Promise<PerItem<Created>[]> {
    return (await this.known()).create(records, on)
  }

  async update(changes: readonly Change[]): Promise<PerItem<StoredRecord | boolean>[]> {
    return (await this.known()).update(changes)
  }

  async delete(ids: readonly string[]): Promise<PerItem<boolean>[]> {
    return (await this.known()).delete(ids)
  }
}
