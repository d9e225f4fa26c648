import { recordType } from '../../../contract/operations.ts'
import type { Condition, StoredRecord, Value } from '../../platform.ts'
import type { AttachedPage, Changed, ChangeQuery, Created, DriverPage, DriverQuery, PerItem } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place, Table, Tables } from '../engine/tables.ts'
import { toNewRow } from '../engine/translation.ts'
import { AssociationTypes, associatedPage, associatedWith, type Link } from './associations.ts'
import { codec, momentIn } from './codec.ts'
import { isId } from './filters.ts'
import type { Hub } from './hub.ts'
import { type Input, type Objects, type Row, settled, TOGETHER } from './objects.ts'
import { pageOf } from './pages.ts'
import { filled, Records } from './records.ts'

/** The longest body of a note, which is longer than its text where that has to be written as HTML. */
const LONGEST = 65_536
const BODY = 'hs_note_body'
const TIME = 'hs_timestamp'
const CHANGED: Place = { name: 'hs_lastmodifieddate', kind: 'timestamp', readOnly: true }

/** A record that a note belongs to. */
interface Parent {
  readonly on: string
  readonly id: string
}

/** Notes on leads and deals, and comments on tickets: all of them notes that belong to another record. */
export class Notes extends Records {
  private readonly connection: Hub
  private readonly objectsOf: (object: string) => Objects
  private readonly associations: AssociationTypes
  private readonly tables: Tables
  /** The field with the parent id, and the field of the text. */
  private readonly parent: string
  private readonly parentTypes: readonly string[]

  constructor(type: string, objectsOf: (object: string) => Objects, table: Table, tables: Tables) {
    super(type, objectsOf(table.object), table)
    this.objectsOf = objectsOf
    this.connection = this.objects.connection
    this.associations = new AssociationTypes(this.connection)
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

  /** Searches do not say what a note belongs to, which is read for a page at once. Where nothing was changed, that takes one request. */
  async changed({ since, size, cursor }: ChangeQuery): Promise<AttachedPage> {
    const search = { objects: this.objects, place: () => CHANGED, properties: [...this.properties(), CHANGED.name], associations: [], may: [] }
    const order = { field: CHANGED.name, descending: false }
    const from = since === undefined ? {} : { from: { value: new Date(since).toISOString() } }
    const { rows, cursor: next } = await pageOf(search, { where: [], order, size, ...from, ...(cursor !== undefined && { cursor }) }, true)
    return { ...(await this.withParents(rows)), ...(next !== undefined && { cursor: next }) }
  }

  async getAttached(ids: readonly string[]): Promise<AttachedPage> {
    return this.withParents(await this.objects.read(ids, [...this.properties(), CHANGED.name]))
  }

  async attachedTo(on: string, parents: readonly string[]): Promise<DriverPage> {
    const links = await associatedWith(this.connection, this.objectOf(on), this.objects.object, parents.filter(isId))
    const ids = new Set([...links.values()].flat().map(({ id }) => id))
    return { records: [...ids].map((id) => ({ [recordType(this.type).id]: id })) }
  }

  countAttached(where: readonly Condition[]): Promise<number> {
    return super.count({ where })
  }

  findAttached(query: DriverQuery): Promise<DriverPage> {
    return super.find(query)
  }

  private async withParents(rows: readonly Row[]): Promise<AttachedPage> {
    const parents = await this.parentsOf(rows.map(({ id }) => id))
    const parentsIn = ({ id }: Row) => parents.get(id) ?? []
    const changed = (row: Row, parent: StoredRecord): Changed => ({
      record: { ...this.recordOf(row), ...parent },
      at: momentIn(row.properties[CHANGED.name] ?? '') ?? 0,
    })
    return {
      records: rows.flatMap((row) => parentsIn(row).map(({ on, id }) => ({ ...changed(row, { [this.parent]: id }), on }))),
      unattached: rows.filter((row) => parentsIn(row).length === 0).map((row) => changed(row, {})),
    }
  }

  private async parentsOf(ids: readonly string[]): Promise<Map<string, Parent[]>> {
    const parents = new Map<string, Parent[]>()
    if (ids.length === 0) return parents
    const objects = [...new Set(this.parentTypes.map((type) => this.objectOf(type)))]
    for (const found of await Promise.all(objects.map((object) => this.parentsIn(object, ids))))
      for (const [note, some] of found) parents.set(note, [...(parents.get(note) ?? []), ...some])
    return parents
  }

  /** The records of one of HubSpot's object types that notes belong to; none where the app may not see them. */
  private async parentsIn(object: string, ids: readonly string[]): Promise<[note: string, parents: Parent[]][]> {
    const links = await settled(associatedWith(this.connection, this.objects.object, object, ids))
    if (links instanceof DriverError && links.code === 'forbidden') return []
    if (links instanceof DriverError) throw links
    const typeOf = await this.typesIn(object, [...links.values()].flat())
    return [...links].map(([note, to]) => [note, to.flatMap(({ id }) => (typeOf(id) === undefined ? [] : [{ on: typeOf(id) as string, id }]))])
  }

  /** What type of ours records are of. Where several live in one object, as leads and contacts do, the fixed values of each tell. */
  private async typesIn(object: string, links: readonly Link[]): Promise<(id: string) => string | undefined> {
    const types = this.parentTypes.filter((type) => this.objectOf(type) === object)
    const fixed = types.map((type) => [type, Object.entries(this.tables[type]?.fixed ?? {})] as const)
    const properties = fixed.flatMap(([, values]) => values.map(([name]) => name))
    if (properties.length === 0 || links.length === 0) return () => types[0]
    const rows = await this.objectsOf(object).read(
      links.map(({ id }) => id),
      properties,
    )
    const known = new Map(rows.map((row) => [row.id, row.properties]))
    const isOf = (id: string, values: readonly (readonly [string, unknown])[]) => values.every(([name, value]) => known.get(id)?.[name] === String(value))
    return (id) => {
      if (!known.has(id)) return undefined
      const [type] = fixed.find(([, values]) => values.length > 0 && isOf(id, values)) ?? fixed.find(([, values]) => values.length === 0) ?? []
      return type
    }
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
