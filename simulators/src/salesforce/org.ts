import type { WireRequest, World } from '../simulated.ts'
import { Refusal } from './errors.ts'
import type { SObject } from './objects/objects.ts'
import { STAGES } from './objects/picklists.ts'
import { Schema } from './objects/schema.ts'
import { type DuplicateRule, STANDARD_RULE } from './records/duplicate-rule.ts'
import { makeId } from './records/ids.ts'
import { type Row, Table, type Visibility } from './records/table.ts'
import { writeTime } from './records/times.ts'
import type { Value } from './records/values.ts'

/** The status of leads that were converted. */
export const CONVERTED_STATUS = 'Closed - Converted'

/** A Salesforce org: its schema and its records, in memory. */
export class Org {
  readonly world: World
  readonly schema: Schema
  readonly id: string
  /** The user of the connection, who exists from the beginning. */
  readonly firstUser: string
  readonly profiles: { readonly administrator: string; readonly standard: string }
  /** Until when deleted records are purged, in milliseconds. */
  purgedUntil = 0
  duplicateRule: DuplicateRule = STANDARD_RULE
  private readonly tables = new Map<string, Table>()
  private readonly undo: (() => void)[] = []
  private readonly visibility: Visibility

  constructor(world: World) {
    this.world = world
    this.visibility = { until: undefined, now: () => Number(world.now()) }
    this.schema = new Schema(() => world.now())
    this.firstUser = makeId('005', 1)
    this.id = this.fill('Organization', { Name: 'Simulator', InstanceName: 'SIM1', OrganizationType: 'Developer Edition', IsSandbox: false })
    const profile = (Name: string) => this.fill('Profile', { Name, UserType: 'Standard' })
    this.profiles = { administrator: profile('System Administrator'), standard: profile('Standard User') }
    this.fill('User', {
      Username: 'integration@simulator.example',
      FirstName: 'Integration',
      LastName: 'User',
      Name: 'Integration User',
      Email: 'integration@simulator.example',
      Alias: 'integ',
      IsActive: true,
      TimeZoneSidKey: 'GMT',
      LocaleSidKey: 'en_US',
      EmailEncodingKey: 'UTF-8',
      LanguageLocaleKey: 'en_US',
      ProfileId: this.profiles.administrator,
      UserType: 'Standard',
    })
    for (const [name, ProfileId] of Object.entries(this.profiles)) {
      this.fill('PermissionSet', { Name: `X${ProfileId}`, Label: `X${name}`, ProfileId, IsOwnedByProfile: true, IsCustom: false })
    }
    const statuses = this.schema.object('Lead')?.fields.get('status')?.picklist ?? []
    for (const [at, status] of statuses.entries()) {
      this.fill('LeadStatus', { MasterLabel: status, ApiName: status, SortOrder: at + 1, IsDefault: at === 0, IsConverted: status === CONVERTED_STATUS })
    }
    for (const [at, [stage, { probability, forecast, closed = false, won = false }]] of Object.entries(STAGES).entries()) {
      this.fill('OpportunityStage', {
        MasterLabel: stage,
        ApiName: stage,
        IsActive: true,
        SortOrder: at + 1,
        IsClosed: closed,
        IsWon: won,
        ForecastCategory: forecast,
        ForecastCategoryName: forecast,
        DefaultProbability: probability,
      })
    }
    this.begin()
  }

  /** Stores a record that no client has created. */
  fill(name: string, values: { readonly [field: string]: Value }): string {
    const object = this.schema.object(name)
    if (!object) throw new Error(`There is no ${name}.`)
    const Id = this.newId(object)
    this.table(object).put({ Id, IsDeleted: false, ...values, ...this.stamps(this.firstUser), CreatedDate: this.now(), CreatedById: this.firstUser })
    return Id
  }

  now(): string {
    return writeTime(this.world.stamp())
  }

  stamps(userId: string): { readonly LastModifiedDate: string; readonly LastModifiedById: string; readonly SystemModstamp: string } {
    const now = this.now()
    return { LastModifiedDate: now, LastModifiedById: userId, SystemModstamp: now }
  }

  table({ name }: SObject): Table {
    const table = this.tables.get(name) ?? new Table(this.undo, this.visibility)
    this.tables.set(name, table)
    return table
  }

  allTables(): Iterable<Table> {
    return this.tables.values()
  }

  /** Deletes all records of an object. */
  drop({ name }: SObject): void {
    this.tables.delete(name)
  }

  newId(object: SObject): string {
    return makeId(object.keyPrefix, this.table(object).next())
  }

  /** A record of any object, by id. */
  row(id: string): Row | undefined {
    const object = this.schema.objectOf(id)
    return object && this.table(object).rows.get(id)
  }

  /** An object by its name in a path. */
  objectAt(name: string): SObject {
    const object = this.schema.seen(name)
    if (!object || object.tooling) throw new Refusal(404, 'NOT_FOUND', 'The requested resource does not exist')
    return object
  }

  /** Begins a request: its changes can be rolled back, those of earlier requests no longer. */
  begin(request?: WireRequest): void {
    this.undo.length = 0
    const late = request && this.world.faults.amount('late-rows', request)
    this.visibility.until = late === undefined ? undefined : this.visibility.now() + late
  }

  /** Returns a function that rolls this request back to now. */
  savepoint(): () => void {
    const length = this.undo.length
    return () => {
      while (this.undo.length > length) this.undo.pop()?.()
    }
  }

  /** Rolls back what the work has changed if it throws. */
  atomically<T>(work: () => T): T {
    const rollback = this.savepoint()
    try {
      return work()
    } catch (error) {
      rollback()
      throw error
    }
  }

  counts(): { readonly [name: string]: number } {
    return Object.fromEntries([...this.tables].map(([name, { rows }]) => [name, [...rows.values()].filter((row) => !row.IsDeleted).length]))
  }
}
