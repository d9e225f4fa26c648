import { recordType } from '../../../contract/operations.ts'
import type { RequestGroup, StoredRecord } from '../../platform.ts'
import type { Created, CrmDriver, PerItem } from './driver.ts'
import { DriverError } from './errors.ts'

/** How long calls are waited for that come at the same time. */
const WAIT_MS = 2

type Change = Parameters<CrmDriver['update']>[1][number]

/** The requests of one kind that a CRM can be sent, whether alone or together. */
export interface Requests {
  get(type: string, id: string): Promise<StoredRecord | undefined>
  create(type: string, record: StoredRecord, on?: string): Promise<Created>
  update(type: string, change: Change): Promise<StoredRecord | boolean>
  delete(type: string, id: string): Promise<boolean>
}

/** Each request by itself. */
export function single(wire: CrmDriver): Requests {
  const only = async <T>(answers: Promise<readonly PerItem<T>[]>) => thrown((await answers)[0] as PerItem<T>)
  return {
    get: async (type, id) => (await wire.get(type, [id]))[0],
    create: (type, record, on) => only(wire.create(type, [record], on)),
    update: (type, change) => only(wire.update(type, [change])),
    delete: (type, id) => only(wire.delete(type, [id])),
  }
}

/** Requests that come at the same time, those of one kind sent together, in the order in which they came. */
export class RequestBatches implements Requests {
  private readonly wire: CrmDriver
  private readonly heaps = new Map<string, Heap<unknown, unknown>>()

  constructor(wire: CrmDriver) {
    this.wire = wire
  }

  get(type: string, id: string) {
    return this.heap(`get ${type}`, async (ids: readonly string[]) => {
      const records = new Map((await this.wire.get(type, [...new Set(ids)])).map((record) => [record[recordType(type).id] as string, record]))
      return ids.map((one) => records.get(one))
    }).add(id)
  }

  create(type: string, record: StoredRecord, on?: string) {
    return this.heap(`create ${type} ${on} ${record.ObjectName}`, (records: readonly StoredRecord[]) => this.wire.create(type, records, on)).add(record)
  }

  update(type: string, change: Change) {
    return this.heap(`update ${type} ${change.before.ObjectName}`, (changes: readonly Change[]) => this.wire.update(type, changes)).add(change)
  }

  delete(type: string, id: string) {
    return this.heap(`delete ${type}`, (ids: readonly string[]) => this.wire.delete(type, ids)).add(id)
  }

  private heap<I, O>(name: string, send: (items: readonly I[]) => Promise<readonly PerItem<O>[]>): Heap<I, O> {
    const heap = (this.heaps.get(name) as Heap<I, O> | undefined) ?? new Heap(send, this.wire.supports.together)
    this.heaps.set(name, heap as Heap<unknown, unknown>)
    return heap
  }
}

export const isGathering = (together: RequestGroup | undefined): together is RequestBatches => together instanceof RequestBatches

interface Waiting<I, O> {
  readonly item: I
  readonly resolve: (answer: O) => void
  readonly reject: (error: unknown) => void
}

/** Requests of one kind that wait to be sent together. */
class Heap<I, O> {
  private readonly send: (items: readonly I[]) => Promise<readonly PerItem<O>[]>
  private readonly most: number
  private waiting: Waiting<I, O>[] = []
  private timer: NodeJS.Timeout | undefined
  private before: Promise<unknown> = Promise.resolve()

  constructor(send: (items: readonly I[]) => Promise<readonly PerItem<O>[]>, most: number) {
    this.send = send
    this.most = most
  }

  add(item: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject })
      clearTimeout(this.timer)
      if (this.waiting.length >= this.most) this.flush()
      else this.timer = setTimeout(() => this.flush(), WAIT_MS)
    })
  }

  private flush(): void {
    const sent = this.waiting
    this.waiting = []
    // One after the other, so that what came first is there first.
    this.before = this.before.then(() => this.deliver(sent))
  }

  private async deliver(sent: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const answers = await this.send(sent.map(({ item }) => item))
      for (const [i, { resolve, reject }] of sent.entries()) {
        const answer = answers[i] as PerItem<O>
        if (answer instanceof DriverError) reject(answer)
        else resolve(answer)
      }
    } catch (error) {
      for (const { reject } of sent) reject(error)
    }
  }
}

function thrown<T>(answer: PerItem<T>): T {
  if (answer instanceof DriverError) throw answer
  return answer
}
