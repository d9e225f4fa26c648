import { recordType } from '../../../contract/operations.ts'
import type { RequestGroup, StoredRecord } from '../../platform.ts'
import type { Created, CrmDriver, PerItem } from './driver.ts'
import { DriverError } from './errors.ts'

/** How long a batch waits for further requests. */
const WAIT_MS = 2

type Change = Parameters<CrmDriver['update']>[1][number]

/** Requests about single records, whether they are sent alone or in batches. */
export interface Requests {
  get(type: string, id: string): Promise<StoredRecord | undefined>
  create(type: string, record: StoredRecord, on?: string): Promise<Created>
  update(type: string, change: Change): Promise<StoredRecord | boolean>
  delete(type: string, id: string): Promise<boolean>
}

/** Sends each request alone. */
export function unbatched(driver: CrmDriver): Requests {
  const only = async <T>(answers: Promise<readonly PerItem<T>[]>) => thrown((await answers)[0] as PerItem<T>)
  return {
    get: async (type, id) => (await driver.get(type, [id]))[0],
    create: (type, record, on) => only(driver.create(type, [record], on)),
    update: (type, change) => only(driver.update(type, [change])),
    delete: (type, id) => only(driver.delete(type, [id])),
  }
}

/** Sends requests of one kind that come at the same time as one, in the order in which they came. */
export class RequestBatches implements Requests {
  private readonly driver: CrmDriver
  private readonly batches = new Map<string, Batch<unknown, unknown>>()

  constructor(driver: CrmDriver) {
    this.driver = driver
  }

  get(type: string, id: string) {
    return this.batch(`get ${type}`, async (ids: readonly string[]) => {
      const records = new Map((await this.driver.get(type, [...new Set(ids)])).map((record) => [record[recordType(type).id] as string, record]))
      return ids.map((one) => records.get(one))
    }).add(id)
  }

  create(type: string, record: StoredRecord, on?: string) {
    return this.batch(`create ${type} ${on} ${record.ObjectName}`, (records: readonly StoredRecord[]) => this.driver.create(type, records, on)).add(record)
  }

  update(type: string, change: Change) {
    return this.batch(`update ${type} ${change.before.ObjectName}`, (changes: readonly Change[]) => this.driver.update(type, changes)).add(change)
  }

  delete(type: string, id: string) {
    return this.batch(`delete ${type}`, (ids: readonly string[]) => this.driver.delete(type, ids)).add(id)
  }

  private batch<I, O>(name: string, send: (items: readonly I[]) => Promise<readonly PerItem<O>[]>): Batch<I, O> {
    const batch = (this.batches.get(name) as Batch<I, O> | undefined) ?? new Batch(send, this.driver.supports.together)
    this.batches.set(name, batch as Batch<unknown, unknown>)
    return batch
  }
}

export const isRequestBatches = (group: RequestGroup | undefined): group is RequestBatches => group instanceof RequestBatches

interface Waiting<I, O> {
  readonly item: I
  readonly resolve: (answer: O) => void
  readonly reject: (error: unknown) => void
}

/** Requests of one kind that wait to be sent as one. */
class Batch<I, O> {
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
    // One after the other, so that writes take effect in the order of the calls.
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
