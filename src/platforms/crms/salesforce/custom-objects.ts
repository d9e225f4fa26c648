import type { Connection } from '../engine/connection.ts'
import type { Definition } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Tables } from '../engine/tables.ts'
import { codesOf } from './answered-errors.ts'
import { type Api, unlessModified } from './api.ts'
import { apiName } from './custom-names.ts'
import { type CustomTable, customTable } from './custom-tables.ts'
import { describes, describesSince, type ObjectDescribe } from './describes.ts'
import { driverError } from './errors.ts'
import { createObjectXml, fieldMetadata, soapError } from './metadata.ts'
import { permit } from './permissions.ts'
import type { SendSoap } from './soap.ts'
import type { Writes } from './writes.ts'

const MINUTE_MS = 60_000
/** How long custom objects are cached, and how soon a miss in the cache may ask whether there are others. Asking takes one request. */
const CACHE_MS = 10 * MINUTE_MS
const RELOAD_MS = 2000
/** How often they are read whatever Salesforce says of modifications, which need not include changes of permissions. It takes a request for 25 objects. */
const WHOLE_MS = 120 * MINUTE_MS
/** The CRM's clock is known to the second. */
const SKEW_MS = 2000

export interface CustomOptions {
  /** The only objects that count, by our names; all of them where it is undefined. */
  readonly objects: readonly string[] | undefined
  /** Whether new texts are short ones, which can be searched. */
  readonly shortTexts: boolean
  readonly permissionSet: string | undefined
  /** The tables of our record types. */
  readonly tablesOf: () => Tables
  /** The service's user. */
  readonly userId: () => string | undefined
}

interface Parts {
  readonly api: Api
  readonly connection: Connection
  readonly soap: SendSoap
  readonly writes: Writes
}

/** The custom objects of the account, as it describes them. */
export class CustomObjects {
  private readonly parts: Parts
  private readonly options: CustomOptions
  private tables: ReadonlyMap<string, CustomTable> = new Map()
  private readAt = Number.NEGATIVE_INFINITY
  /** When everything was read last. */
  private wholeAt = Number.NEGATIVE_INFINITY
  /** By the CRM's clock, when the tables were what the account has. */
  private asOf = 0
  private reading: Promise<ReadonlyMap<string, CustomTable>> | undefined

  constructor(parts: Parts, options: CustomOptions) {
    this.parts = parts
    this.options = options
  }

  /** The cached objects, stale or not. */
  known(): readonly CustomTable[] {
    return [...this.tables.values()]
  }

  async all(maxAgeMs = CACHE_MS): Promise<ReadonlyMap<string, CustomTable>> {
    if (Date.now() - this.readAt < maxAgeMs) return this.tables
    this.reading ??= this.read().finally(() => {
      this.reading = undefined
    })
    return this.reading
  }

  /** The object of this name; undefined where there is none. A miss in the cache reloads it. */
  async named(name: string): Promise<CustomTable | undefined> {
    return (await this.all()).get(name) ?? (await this.all(RELOAD_MS)).get(name)
  }

  /** The object that an id's first three characters name. */
  async byPrefix(prefix: string): Promise<CustomTable | undefined> {
    const find = (tables: ReadonlyMap<string, CustomTable>) => [...tables.values()].find((one) => one.prefix === prefix)
    // The prefixes of custom objects begin with an a; no other needs a request.
    return find(await this.all()) ?? (prefix.startsWith('a') ? find(await this.all(RELOAD_MS)) : undefined)
  }

  private async read(): Promise<ReadonlyMap<string, CustomTable>> {
    const { api, connection } = this.parts
    const [now, asOf] = [Date.now(), connection.now() - SKEW_MS]
    const whole = now - this.wholeAt >= WHOLE_MS
    const since = whole ? undefined : this.asOf
    const listed = await api.send<{ sobjects: readonly ObjectDescribe[] } | undefined>({
      method: 'GET',
      path: '/sobjects',
      ...(since !== undefined && { headers: unlessModified(since) }),
    })
    if (listed) this.tables = await this.described(listed.sobjects, since)
    this.readAt = now
    this.asOf = asOf
    if (whole) this.wholeAt = now
    return this.tables
  }

  /** The tables of these objects; those that were not modified are the ones that are known. */
  private async described(objects: readonly ObjectDescribe[], since: number | undefined): Promise<ReadonlyMap<string, CustomTable>> {
    const known = new Map(this.known().map((custom) => [custom.table.object, custom]))
    const custom = objects.filter(
      ({ name, custom, customSetting, queryable, deprecatedAndHidden }) =>
        custom && !customSetting && queryable && !deprecatedAndHidden && name.endsWith('__c') && this.counts(name),
    )
    const found = await describesSince(
      this.parts.api,
      custom.map(({ name }) => ({ name, since: known.has(name) ? since : undefined })),
    )
    const tables = [...found]
      .map(([object, describe]) => (describe ? customTable(describe, this.options.tablesOf()) : known.get(object)))
      .filter((table) => table !== undefined)
    return new Map(tables.map((table) => [table.name, table]))
  }

  /** Reads one object that was just defined. A read that began before would put what it was in its place. */
  private async learn(object: string): Promise<void> {
    await this.reading?.catch(() => {})
    const describe = (await describes(this.parts.api, [object])).get(object)
    const table = describe && this.counts(object) ? customTable(describe, this.options.tablesOf()) : undefined
    if (table) this.tables = new Map(this.tables).set(table.name, table)
  }

  private counts(object: string): boolean {
    return this.options.objects === undefined || this.options.objects.some((name) => name === object || apiName(name) === object)
  }

  /** Adds fields to an object, which is made where there is none. */
  async define(objectName: string, fresh: readonly Definition[]): Promise<void> {
    const tables = await this.all(0)
    const known = tables.get(objectName)
    const object = known?.table.object ?? apiName(objectName)
    const objects = new Map(Object.entries(this.options.tablesOf()).map(([type, table]) => [type, table.object]))
    // All checks come before the first write.
    const fields = fresh
      .filter(({ FieldName }) => !known || !Object.hasOwn(known.table.fields, FieldName))
      .map((definition) => ({ name: apiName(definition.FieldName), metadata: fieldMetadata(definition, { shortTexts: this.options.shortTexts, objects }) }))
    refuseTwins(objectName, fresh, [...tables.values()])
    if (!known) await this.makeObject(object, objectName)
    for (const { name, metadata } of fields) await this.makeField(object, name, metadata)
    await this.makeVisible(
      object,
      fields.map(({ name }) => name),
    )
    await this.learn(object)
  }

  private async makeField(object: string, field: string, Metadata: { readonly [member: string]: unknown }): Promise<void> {
    try {
      // A retry finds that it already exists.
      await this.parts.api.send({ method: 'POST', path: '/tooling/sobjects/CustomField', body: { FullName: `${object}.${field}`, Metadata }, reads: true })
    } catch (error) {
      if (!(error instanceof DriverError) || !isThereAlready(codesOf(error))) throw error
    }
  }

  /** Custom objects are created through the Metadata API, which takes the session id in the body of the request. */
  private async makeObject(object: string, label: string): Promise<void> {
    const wrong = await this.parts.soap('m', (token) => createObjectXml(token, object, label.slice(0, 40)), soapError, true)
    if (wrong && !isThereAlready([wrong.code])) throw driverError([{ errorCode: wrong.code, message: wrong.message }], 400)
  }

  private async makeVisible(object: string, fields: readonly string[]): Promise<void> {
    const { api, writes } = this.parts
    const seen = (await describes(api, [object])).get(object)
    const unseen = fields.filter((field) => !seen?.fields.some(({ name, createable }) => name === field && createable))
    if (seen && unseen.length === 0) return
    await permit(api, writes, object, unseen, { permissionSet: this.options.permissionSet, userId: this.options.userId() })
  }
}

const isThereAlready = (codes: readonly string[]) => codes.some((code) => code === 'DUPLICATE_DEVELOPER_NAME' || code === 'DUPLICATE_VALUE')

/** Names are case-insensitive in Salesforce. */
function refuseTwins(objectName: string, fresh: readonly Definition[], tables: readonly CustomTable[]): void {
  const names = (known: readonly string[], wanted: string) => known.find((name) => name !== wanted && name.toLowerCase() === wanted.toLowerCase())
  const object = names(
    tables.map(({ name }) => name),
    objectName,
  )
  const fields = [...(tables.find(({ name }) => name === objectName)?.definitions ?? []), ...fresh].map(({ FieldName }) => FieldName)
  const twins = [[objectName, object], ...fields.map((field) => [field, names(fields, field)])]
  const [wanted, twin] = twins.find(([, one]) => one !== undefined) ?? []
  if (twin !== undefined) throw new DriverError('unsupported', `Salesforce cannot tell ${wanted} from ${twin}, which differ only in the case of letters.`)
}
