import { recordType } from '../../../contract/operations.ts'
import type { Condition, StoredRecord, Value } from '../../platform.ts'
import type { Created, DriverPage, DriverQuery, PerItem } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table, Tables } from '../engine/tables.ts'
import { toNewRow } from '../engine/translation.ts'
import { AssociationTypes, associatedPage } from './associations.ts'
import { codec } from './codec.ts'
import { isId } from './filters.ts'
import type { Hub } from './hub.ts'
import { type Input, type Objects, type Row, settled, TOGETHER } from './objects.ts'
import { filled, Records } from './records.ts'

/** The longest body of a note, which is longer than its text where that has to be written as HTML. */
const LONGEST = 65_536
const BODY = 'hs_note_body'
const TIME = 'hs_timestamp'

/** Notes on leads and deals, and comments on tickets: all of them notes that belong to another record. */
export class Notes extends Records {
  private readonly connection: Hub
  private readonly associations: AssociationTypes
  private readonly tables: Tables
  /** The field with the parent id, and the field of the text. */
  private readonly parent: string
  private readonly parentTypes: readonly string[]

  constructor(type: string, objects: Objects, table: Table, tables: Tables, connection: Hub) {
    super(type, objects, table)
    this.connection = connection
    this.associations = new AssociationTypes(connection)
    this.tables = tables
    const { childOf } = recordType(type)
    this.parent = childOf?.field as string
    this.parentTypes = childOf?.types ?? []
  }

  override narrows({ field, operator }: Condition): 'exactly' | 'not' {
    return field === this.parent && operator === 'eq' ? 'exactly' : 'not'
  }

  override narrowsTree(): 'not' {
    return 'not'
  }

  override orders(): boolean {
    return false
  }

  override async find(query: DriverQuery): Promise<DriverPage> {
    const { on, id } = this.parentIn(query)
    if (!isId(id)) return { records: [] }
    const { links, after } = await associatedPage(this.connection, this.objectOf(on), id, this.objects.object, TOGETHER, query.cursor)
    const records = await this.get(links.map((link) => link.id))
    return { records: records.map((record) => ({ ...record, [this.parent]: id })), ...(after !== undefined && { cursor: after }) }
  }

  override async count(query: Parameters<Records['count']>[0]): Promise<number> {
    const { on, id } = this.parentIn(query)
    let count = 0
    let after: string | undefined
    if (!isId(id)) return 0
    do {
      const page = await associatedPage(this.connection, this.objectOf(on), id, this.objects.object, 500, after)
      count += page.links.length
      after = page.after
    } while (after !== undefined)
    return count
  }

  private parentIn({ where, on = this.parentTypes[0] as string }: Pick<DriverQuery, 'where' | 'on'>): { readonly on: string; readonly id: Value } {
    const condition = where.find(({ field, operator }) => field === this.parent && operator === 'eq')
    return { on, id: (condition?.value ?? null) as Value }
  }

  private objectOf(type: string): string {
    return (this.tables[type] as Table).object
  }

  override async create(records: readonly StoredRecord[], on = this.parentTypes[0] as string): Promise<PerItem<Created>[]> {
    const to = this.objectOf(on)
    const types = await this.associations.usual(this.objects.object, to)
    const inputs = records.map((record): PerItem<Input> => {
      const properties = filled({ [TIME]: new Date(this.connection.now()).toISOString(), ...toNewRow(this.table, codec, record) })
      if ((properties[BODY] ?? '').length > LONGEST) return this.tooLong()
      return { properties, associations: types.length > 0 ? [{ to: { id: String(record[this.parent]) }, types }] : [] }
    })
    const good = inputs.filter((input): input is Input => !(input instanceof DriverError))
    const rows = good.length > 0 ? await this.objects.create(good) : []
    const answers = new Map(good.map((input, index) => [input, rows[index] as PerItem<Row>]))
    return Promise.all(
      inputs.map(async (input, index) => {
        const row = input instanceof DriverError ? input : (answers.get(input) as PerItem<Row>)
        if (row instanceof DriverError) return row
        const id = String(records[index]?.[this.parent])
        const linked = types.length > 0 ? undefined : await this.link(row.id, to, id)
        return linked ?? { ...this.recordOf(row), [this.parent]: id }
      }),
    )
  }

  /** Uses the default association type, as the account lists none. A note that cannot be linked is archived. */
  private async link(noteId: string, to: string, id: string): Promise<DriverError | undefined> {
    const path = `${this.connection.paths.associated}/${this.objects.object}/${noteId}/associations/default/${encodeURIComponent(to)}/${encodeURIComponent(id)}`
    // Idempotent, so it may be retried.
    const linked = await settled(this.connection.send({ method: 'PUT', path, reads: true }))
    if (!(linked instanceof DriverError)) return undefined
    await this.objects.archive([noteId])
    return linked
  }

  private tooLong(): DriverError {
    const field = Object.keys(this.table.fields).find((name) => this.table.fields[name]?.name === BODY) ?? BODY
    const message = `${field} is too long for HubSpot, which keeps it as HTML of at most ${LONGEST.toLocaleString('en')} characters.`
    return new DriverError('platform_rejected', message, { errors: [{ field, code: 'length', message }] })
  }

  protected override recordOf(row: Row): StoredRecord {
    const record = super.recordOf(row)
    // HubSpot shows notes to those who work there, never to customers.
    if (Object.hasOwn(this.table.fields, 'Publish')) record.Publish ??= false
    return record
  }
}
