import { canonicalConditions, canonicalId } from '../../../contract/canonical-ids.ts'
import { recordType } from '../../../contract/operations.ts'
import { Definition as DefinitionType } from '../../../contract/records/custom-object.ts'
import type { Condition, Found, Query, Reader, ReadOptions, SearchQuery, StoredRecord, TallyQuery, UserIds, Where } from '../../platform.ts'
import { type Account, toOurRecord, toOurRecordInPlace } from './account.ts'
import { ofOwned } from './conditions.ts'
import { countOf } from './count.ts'
import { findAmong } from './definitions.ts'
import { type Requests, unbatched } from './request-batches.ts'
import { find, isOwned, matching } from './search.ts'
import { tallyOf } from './tally.ts'

export const NO_USER_IDS: UserIds = { toPlatform: () => undefined, fromPlatform: () => undefined, has: () => false }

/** An account's records, for reading. */
export class CrmReader implements Reader {
  protected readonly account: Account
  protected readonly requests: Requests
  private readonly options: ReadOptions

  constructor(account: Account, options: ReadOptions, requests: Requests = unbatched(account.driver)) {
    this.account = account
    this.options = options
    this.requests = requests
  }

  protected userIds(): Promise<UserIds> | UserIds {
    return this.options.userIds?.() ?? NO_USER_IDS
  }

  async get(type: string, given: string): Promise<StoredRecord | undefined> {
    const id = canonicalId(this.account.driver, type, given)
    const found = await this.requests.get(type, id)
    return found && this.refreshed(type, id, found)
  }

  private async refreshed(type: string, id: string, found: StoredRecord): Promise<StoredRecord> {
    const record = toOurRecord(this.account, await this.userIds(), type, found)
    this.account.recentWrites.refresh(type, id, { ...record })
    return record
  }

  async getAll(type: string, ids: readonly string[]): Promise<readonly StoredRecord[]> {
    const { driver } = this.account
    const wanted = [...new Set(ids.map((id) => canonicalId(driver, type, id)))]
    const found = wanted.length > 0 ? await driver.get(type, wanted) : []
    const userIds = await this.userIds()
    return found.map((record) => toOurRecord(this.account, userIds, type, record))
  }

  async getWithTotals(type: string, given: string) {
    const { driver } = this.account
    const id = canonicalId(driver, type, given)
    if (driver.getWithCounts) {
      const found = await driver.getWithCounts(type, id)
      const totals = recordType(type).children.map(({ list, type: child }) => [list, found?.counts[child] ?? 0] as const)
      return found && { record: await this.refreshed(type, id, found.record), totals: Object.fromEntries(totals) }
    }
    const lists = recordType(type).children.map(async ({ list, type: child }) => [list, await this.countOn(type, id, child)] as const)
    const [record, ...totals] = await Promise.all([this.get(type, id), ...lists])
    return record && { record, totals: Object.fromEntries(totals) }
  }

  private countOn(on: string, id: string, child: string): Promise<number> {
    const where: Condition[] = [{ field: recordType(child).childOf?.field as string, family: 'text', operator: 'eq', value: id }]
    return this.account.driver.count(child, { where, on })
  }

  async count(type: string, where: readonly Where[]): Promise<number> {
    return countOf(this.account, await this.userIds(), type, this.canonical(type, { where }).where, this.options.budget)
  }

  get exported(): Reader['exported'] {
    const { driver } = this.account
    return (
      driver.exported &&
      (async (type, cursor) => {
        const step = await driver.exported?.(type, cursor)
        const userIds = await this.userIds()
        return step && { ...step, records: step.records.map((record) => toOurRecordInPlace(this.account, userIds, type, record)) }
      })
    )
  }

  async find(type: string, query: Query): Promise<Found> {
    if (type === DefinitionType.name) return findAmong(await this.account.driver.definitions(), query)
    return find(this.account, await this.userIds(), type, this.canonical(type, query), this.options.budget)
  }

  async tally(type: string, query: TallyQuery) {
    return tallyOf(this.account, await this.userIds(), type, this.canonical(type, query), this.options.budget)
  }

  private canonical<Q extends Pick<Query, 'where'>>(type: string, query: Q): Q {
    return { ...query, where: canonicalConditions(this.account.driver, type, ofOwned(type, query.where)) }
  }

  async firstCreated(type: string, owners: readonly string[] | undefined) {
    return (await this.first(type, owners, []))?.CreatedDate as string | undefined
  }

  async oldestNotIn(type: string, owners: readonly string[] | undefined, states: readonly string[]) {
    const state = recordType(type).state as string
    return this.first(
      type,
      owners,
      states.map((value) => ({ field: state, family: 'text', operator: 'ne', value })),
    )
  }

  async search({ text, types, owners, limit }: SearchQuery) {
    const found = (await this.account.driver.search?.(text, types, limit)) ?? []
    const userIds = await this.userIds()
    return found
      .map(({ type, record }) => ({ type, record: toOurRecord(this.account, userIds, type, record) }))
      .filter(({ type, record }) => isOwned(type, owners, record))
  }

  get foresee(): Reader['foresee'] {
    const { driver } = this.account
    return driver.foresee && ((...values) => (driver.foresee as NonNullable<typeof driver.foresee>)(...values))
  }

  get foreseeConversion(): Reader['foreseeConversion'] {
    const { driver } = this.account
    return driver.foreseeConversion && ((conversion) => (driver.foreseeConversion as NonNullable<typeof driver.foreseeConversion>)(conversion))
  }

  private async first(type: string, owners: readonly string[] | undefined, where: readonly Condition[]): Promise<StoredRecord | undefined> {
    const order = { field: recordType(type).createdField, descending: false }
    for await (const [record] of matching(this.account, await this.userIds(), type, { ...(owners && { owners }), where, order, limit: 1 }, this.options))
      if (record) return record
    return undefined
  }
}
