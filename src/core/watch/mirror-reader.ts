import { canonicalConditions, canonicalId } from '../../contract/canonical-ids.ts'
import { type Through, type Value, type Where, withComparisons } from '../../contract/conditions.ts'
import { recordType } from '../../contract/operations.ts'
import type { Platform, Query, Reader, SearchQuery, StoredRecord, TallyQuery, UserIds } from '../../platforms/platform.ts'
import { typeOn } from '../call/extension.ts'
import { toRecordInPlace } from './mirrored.ts'

/** Stands for a user that no record has. */
const NO_USER = ''

/** Reads a mirror as its platform is read: with our users, and ids in any form that the platform takes. What a mirror does not have is read from the platform. */
export class MirrorReader implements Reader {
  private readonly platform: Platform
  private readonly mirror: Reader
  private readonly direct: () => Reader
  private readonly userIds: UserIds

  constructor(platform: Platform, mirror: Reader, direct: () => Reader, userIds: UserIds) {
    this.platform = platform
    this.mirror = mirror
    this.direct = direct
    this.userIds = userIds
  }

  async get(type: string, id: string): Promise<StoredRecord | undefined> {
    const row = await this.mirror.get(type, canonicalId(this.platform, type, id))
    return row && this.record(type, row)
  }

  async getWithTotals(type: string, id: string) {
    const found = await this.mirror.getWithTotals(type, canonicalId(this.platform, type, id))
    return found && { ...found, record: this.record(type, found.record) }
  }

  async getAll(type: string, ids: readonly string[]): Promise<readonly StoredRecord[]> {
    const rows = await this.mirror.getAll(
      type,
      ids.map((id) => canonicalId(this.platform, type, id)),
    )
    return this.records(type, rows)
  }

  find(type: string, query: Query) {
    if (type === 'Definition') return this.direct().find(type, query)
    return this.mirror.find(type, this.translated(type, query)).then(({ records, more }) => ({ records: this.records(type, records), more }))
  }

  tally(type: string, query: TallyQuery) {
    const { fromPlatform } = this.userIds
    return this.mirror.tally(type, this.translated(type, query)).then((tally) => ({
      ...tally,
      states: tally.states.map((cell) => ({ ...cell, owner: fromPlatform(cell.owner) ?? cell.owner })),
    }))
  }

  count(type: string, where: readonly Where[]): Promise<number> {
    return this.mirror.count(type, this.translated(type, { where }).where)
  }

  firstCreated(type: string, owners: readonly string[] | undefined) {
    return this.mirror.firstCreated(type, owners && this.theirs(owners))
  }

  async oldestNotIn(type: string, owners: readonly string[] | undefined, states: readonly string[]) {
    const row = await this.mirror.oldestNotIn(type, owners && this.theirs(owners), states)
    return row && this.record(type, row)
  }

  async search(query: SearchQuery) {
    return (await this.mirror.search(this.owned(query))).map(({ type, record }) => ({ type, record: this.record(type, record) }))
  }

  get matches(): Reader['matches'] {
    return this.mirror.matches && ((query) => (this.mirror.matches as NonNullable<Reader['matches']>)(this.owned(query)))
  }

  private record(type: string, row: StoredRecord): StoredRecord {
    return toRecordInPlace(typeOn(this.platform, recordType(type)), row, this.userIds)
  }

  private records(name: string, rows: readonly StoredRecord[]): StoredRecord[] {
    const type = typeOn(this.platform, recordType(name))
    return rows.map((row) => toRecordInPlace(type, row, this.userIds))
  }

  private translated<Q extends { readonly where: readonly Where[]; readonly owners?: readonly string[] }>(type: string, query: Q): Q {
    if (query.where.length === 0) return this.owned(query)
    const where = canonicalConditions(this.platform, type, query.where).map((one) => this.inTheirIds(type, one))
    return { ...this.owned(query), where }
  }

  private owned<Q extends { readonly owners?: readonly string[] }>(query: Q): Q {
    return query.owners ? { ...query, owners: this.theirs(query.owners) } : query
  }

  private inTheirIds(type: string, where: Where): Where {
    return withComparisons(where, (condition) => {
      const { through, field, value } = condition
      const behind: { through?: Through } = through?.owners ? { through: { ...through, owners: this.theirs(through.owners) } } : {}
      if (recordType(through?.type ?? type).fields[field]?.refers !== 'User') return { ...condition, ...behind }
      const written = (id: Value) => (typeof id === 'string' ? this.theirUser(id) : id)
      return { ...condition, ...behind, value: Array.isArray(value) ? value.map(written) : written(value as Value) }
    })
  }

  private theirs(owners: readonly string[]): string[] {
    return owners.map((owner) => this.theirUser(owner))
  }

  /** The platform's id of a user who is answered under this id. Of two users with one PlatformUserID, records show the older alone. */
  private theirUser(id: string): string {
    const theirs = this.userIds.toPlatform(id)
    if (theirs === undefined) return this.userIds.has(id) || this.userIds.fromPlatform(id) !== undefined ? NO_USER : id
    return this.userIds.fromPlatform(theirs) === id ? theirs : NO_USER
  }
}
