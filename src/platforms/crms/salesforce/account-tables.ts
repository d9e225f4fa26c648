import type { Connection } from '../engine/connection.ts'
import { DriverError } from '../engine/errors.ts'
import type { Tables } from '../engine/tables.ts'
import { adapted, refuseUnknown } from './account.ts'
import { codesOf } from './answered-errors.ts'
import type { Api } from './api.ts'
import { describes, describesSince, type ObjectDescribe } from './describes.ts'

const MINUTE_MS = 60_000
/** How long the descriptions of objects are cached. Asking whether they have changed takes one request. */
const CACHE_MS = 10 * MINUTE_MS
/** How often they are read whatever Salesforce says of modifications, which need not include changes of permissions. */
const WHOLE_MS = 120 * MINUTE_MS
/** How soon an unknown field may make us ask again, where asking has changed nothing. */
const RELOAD_MS = MINUTE_MS
/** The CRM's clock is known to the second. */
const SKEW_MS = 2000

/** The tables of an account with the fields that it has. They are read again now and then, since people add fields, and take them away. */
export class AccountTables {
  /** As they were read last. */
  tables: Tables
  private readonly api: Api
  private readonly connection: Pick<Connection, 'now'>
  private readonly given: Tables
  private found: ReadonlyMap<string, ObjectDescribe> = new Map()
  private readAt = Number.NEGATIVE_INFINITY
  private wholeAt = Number.NEGATIVE_INFINITY
  private asOf = 0
  private fruitlessAt = Number.NEGATIVE_INFINITY
  private reading: Promise<void> | undefined

  constructor(api: Api, connection: Pick<Connection, 'now'>, given: Tables) {
    this.api = api
    this.connection = connection
    this.given = given
    this.tables = given
  }

  /** Reads them for the first time. What the configuration names and the account does not have is refused. */
  async open(): Promise<void> {
    await this.describe()
    refuseUnknown(this.given, this.found)
  }

  /** Whether the account has described anything at all. */
  get isKnown(): boolean {
    return this.found.size > 0
  }

  /** What the account says of an object; undefined where it says nothing. */
  describeOf(object: string | undefined): ObjectDescribe | undefined {
    return object === undefined ? undefined : this.found.get(object)
  }

  /** Whether searches for words can name an object. One that is not to be seen would make them fail as a whole. */
  isSearched(object: string): boolean {
    const describe = this.found.get(object)
    return describe ? describe.searchable !== false : this.found.size === 0
  }

  /** Runs what reads records, once more where a field that it asked for is gone since the account was described. */
  async read<T>(work: () => Promise<T>): Promise<T> {
    await this.current()
    const { tables } = this
    try {
      return await work()
    } catch (error) {
      if (!isUnknownField(error)) throw error
      // Another call may have read them again meanwhile.
      if (this.tables === tables) await this.reload()
      if (this.tables === tables) throw error
      return work()
    }
  }

  /** Reads them again where they are stale. Where that fails, those that are known will do. */
  async current(): Promise<void> {
    if (Date.now() - this.readAt < CACHE_MS) return
    await this.describeOnce().catch((error: unknown) => {
      if (!(error instanceof DriverError)) throw error
    })
  }

  /** Notes what a write was refused for. */
  noteRefusals(results: readonly unknown[]): void {
    if (results.some(isUnknownField)) this.readAt = this.wholeAt = Number.NEGATIVE_INFINITY
  }

  private async reload(): Promise<void> {
    const before = this.tables
    if (Date.now() - this.fruitlessAt < RELOAD_MS) return
    this.wholeAt = Number.NEGATIVE_INFINITY
    await this.describeOnce()
    if (this.tables === before) this.fruitlessAt = Date.now()
  }

  private describeOnce(): Promise<void> {
    this.reading ??= this.describe().finally(() => {
      this.reading = undefined
    })
    return this.reading
  }

  private async describe(): Promise<void> {
    const [now, asOf] = [Date.now(), this.connection.now() - SKEW_MS]
    const objects = [...new Set(Object.values(this.given).map(({ object }) => object))]
    const whole = now - this.wholeAt >= WHOLE_MS
    const found = whole ? await describes(this.api, objects) : await this.changed(objects)
    const tables = adapted(this.given, found)
    // The same object stays where nothing has changed, so that what others derive from it stays too.
    if (JSON.stringify(tables) !== JSON.stringify(this.tables)) this.tables = tables
    this.found = found
    this.readAt = now
    this.asOf = asOf
    if (whole) this.wholeAt = now
  }

  private async changed(objects: readonly string[]): Promise<Map<string, ObjectDescribe>> {
    const answers = await describesSince(
      this.api,
      objects.map((name) => ({ name, since: this.found.has(name) ? this.asOf : undefined })),
    )
    return new Map(
      [...answers].flatMap(([name, answer]) => (answer ? [[name, answer]] : this.found.has(name) ? [[name, this.found.get(name) as ObjectDescribe]] : [])),
    )
  }
}

/** A field that is gone, or that the user may no longer see, is no column of an object. */
const isUnknownField = (error: unknown) =>
  error instanceof DriverError && codesOf(error).some((code) => code === 'INVALID_FIELD' || code === 'INVALID_FIELD_FOR_INSERT_UPDATE')
