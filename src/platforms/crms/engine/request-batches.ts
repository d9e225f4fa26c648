import { recordType } from '../../../contract/operations.ts'
import { batching } from '../../../helpers/batching.ts'
import type { RequestGroup, StoredRecord } from '../../platform.ts'
import type { Created, CrmDriver, PerItem } from './driver.ts'
import { DriverError } from './errors.ts'

/** How long a batch waits for further requests. */
const QUIET_MS = 2

type Batch<I, O> = (item: I) => Promise<O>
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
    })(id)
  }

  create(type: string, record: StoredRecord, on?: string) {
    return this.batch(`create ${type} ${on} ${record.ObjectName}`, (records: readonly StoredRecord[]) => this.driver.create(type, records, on))(record)
  }

  update(type: string, change: Change) {
    return this.batch(`update ${type} ${change.before.ObjectName}`, (changes: readonly Change[]) => this.driver.update(type, changes))(change)
  }

  delete(type: string, id: string) {
    return this.batch(`delete ${type}`, (ids: readonly string[]) => this.driver.delete(type, ids))(id)
  }

  private batch<I, O>(name: string, send: (items: readonly I[]) => Promise<readonly PerItem<O>[]>): Batch<I, O> {
    let batch = this.batches.get(name) as Batch<I, O> | undefined
    if (!batch) {
      batch = batching<I, O>({ groups: 1, most: this.driver.supports.together, quietMs: QUIET_MS }, async (items) => (await send(items)).map(settled))
      this.batches.set(name, batch as Batch<unknown, unknown>)
    }
    return batch
  }
}

export const isRequestBatches = (group: RequestGroup | undefined): group is RequestBatches => group instanceof RequestBatches

const settled = async <T>(answer: PerItem<T>): Promise<T> => thrown(answer)

function thrown<T>(answer: PerItem<T>): T {
  if (answer instanceof DriverError) throw answer
  return answer
}
