import { comparisonsIn } from '../../../contract/conditions.ts'
import { recordType } from '../../../contract/operations.ts'
import type { StoredRecord, Through, UserIds, Where } from '../../platform.ts'
import { type Account, toOurRecord } from './account.ts'
import type { Behind } from './comparison.ts'

/** The records behind the references that the conditions of a search follow: read for a page at a time, so that no row costs a request of its own. */
export class ReferredRecords {
  private readonly account: Account
  private readonly userIds: UserIds
  private readonly references: readonly Through[]
  /** By type and id; undefined where there is none. */
  private readonly records = new Map<string, StoredRecord | undefined>()

  constructor(account: Account, userIds: UserIds, where: readonly Where[]) {
    this.account = account
    this.userIds = userIds
    this.references = comparisonsIn(where).flatMap(({ through }) => through ?? [])
  }

  readonly behind: Behind = (record, { field, type, owners }) => {
    const found = this.records.get(nameOf(type, record[field]))
    const { belongs } = recordType(type)
    return found && (!owners || belongs === null || owners.includes(found[belongs] as string)) ? found : undefined
  }

  /** Pages with the records behind their references. */
  async *loadedFor(pages: AsyncGenerator<StoredRecord[]>): AsyncGenerator<StoredRecord[]> {
    for await (const page of pages) {
      await this.load(page)
      yield page
    }
  }

  async load(records: readonly (StoredRecord | undefined)[]): Promise<void> {
    for (const type of new Set(this.references.map((one) => one.type))) {
      const fields = this.references.filter((one) => one.type === type).map(({ field }) => field)
      const ids = new Set(records.flatMap((record) => fields.flatMap((field) => (typeof record?.[field] === 'string' ? [record[field]] : []))))
      const missing = [...ids].filter((id) => !this.records.has(nameOf(type, id)))
      if (missing.length === 0) continue
      for (const id of missing) this.records.set(nameOf(type, id), undefined)
      for (const found of await this.account.driver.get(type, missing))
        this.records.set(nameOf(type, found[recordType(type).id]), toOurRecord(this.account, this.userIds, type, found))
    }
  }
}

const nameOf = (type: string, id: unknown) => `${type} ${id}`
