import type { World } from '../simulated.ts'
import { Refusal } from './errors.ts'
import type { SObject } from './objects/objects.ts'
import { Schema } from './objects/schema.ts'
import { makeId } from './records/ids.ts'
import { type Row, Table } from './records/table.ts'
import { writeTime } from './records/times.ts'
import type { Value } from './records/values.ts'

/** Everything an org holds. */
export class Org {
  readonly world: World
  readonly schema = new Schema()
  readonly id: string
  /** The user who owns the connection, and whom nobody made. */
  readonly firstUser: string
  readonly profiles: { readonly administrator: string; readonly standard: string }
  private readonly tables = new Map<string, Table>()
  private readonly undo: (() => void)[] = []

  constructor(world: World) {
    this.world = world
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
    this.begin()
  }

  private fill(name: string, values: { readonly [field: string]: Value }): string {
    const object = this.schema.object(name)
    if (!object) throw new Error(`There is no ${name}.`)
    const Id = this.newId(object)
    this.table(object).put({ Id, IsDeleted: false, ...values, ...this.stamps(this.firstUser), CreatedDate: this.now(), CreatedById: this.firstUser })
    return Id
  }

  now(): string {
    return writeTime(this.world.now())
  }

  /** Who changed a record, and when. */
  stamps(userId: string): { readonly LastModifiedDate: string; readonly LastModifiedById: string; readonly SystemModstamp: string } {
    const now = this.now()
    return { LastModifiedDate: now, LastModifiedById: userId, SystemModstamp: now }
  }

  table({ name }: SObject): Table {
    const table = this.tables.get(name) ?? new Table(this.undo)
    this.tables.set(name, table)
    return table
  }

  /** Forgets every record of an object. */
  drop({ name }: SObject): void {
    this.tables.delete(name)
  }

  newId(object: SObject): string {
    return makeId(object.keyPrefix, this.table(object).next())
  }

  /** A record by its id, of whatever object. */
  row(id: string): Row | undefined {
    const object = this.schema.objectOf(id)
    return object && this.table(object).rows.get(id)
  }

  /** An object by its name, or the refusal of a path that has none. */
  objectAt(name: string): SObject {
    const object = this.schema.object(name)
    if (!object || object.tooling) throw new Refusal(404, 'NOT_FOUND', 'The requested resource does not exist')
    return object
  }

  /** Forgets how earlier requests are taken back. */
  begin(): void {
    this.undo.length = 0
  }

  /** Marks a moment of this request. Call the answer to take back everything since. */
  mark(): () => void {
    const length = this.undo.length
    return () => {
      while (this.undo.length > length) this.undo.pop()?.()
    }
  }

  /** Does something wholly or not at all. */
  whole<T>(work: () => T): T {
    const back = this.mark()
    try {
      return work()
    } catch (error) {
      back()
      throw error
    }
  }

  /** How many records there are of each object that has any. */
  counts(): { readonly [name: string]: number } {
    return Object.fromEntries([...this.tables].map(([name, { rows }]) => [name, [...rows.values()].filter((row) => !row.IsDeleted).length]))
  }
}
