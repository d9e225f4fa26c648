import type { Condition, Order, StoredRecord, Value } from '../../platform.ts'
import type { Created, DriverPage, DriverQuery, PerItem } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place } from '../engine/tables.ts'
import { placeOf, toRecord, toRow } from '../engine/translation.ts'
import { codec } from './codec.ts'
import { filterGroupsOf, isExact, isId } from './filters.ts'
import type { Change, Handler } from './handler.ts'
import type { Input, Objects, Row } from './objects.ts'
import { filled, Records, written } from './records.ts'
import type { CustomTable, Schemas } from './schemas.ts'
import { common } from './tables.ts'

type Values = { readonly [name: string]: Value }

/** The records of one custom object. Their ids say which it is, so that they can be read by their ids alone. */
class CustomRecords extends Records {
  private readonly custom: CustomTable

  constructor(objects: Objects, custom: CustomTable) {
    super('CustomObject', objects, custom.table)
    this.custom = custom
  }

  protected override place({ field, name }: { readonly field: string; readonly name?: string }): Place | undefined {
    return name === undefined ? placeOf(this.table, field) : placeOf(this.custom.values, name)
  }

  protected override properties(): string[] {
    return [...super.properties(), ...Object.values(this.custom.values.fields).flatMap((place) => (place ? [place.name] : []))]
  }

  protected override input(record: StoredRecord): Input {
    const { properties, associations } = super.input(record)
    return { properties: { ...properties, ...filled(toRow(this.custom.values, codec, record.Values as StoredRecord)) }, associations }
  }

  /** What was there and is not named any more is cleared. */
  override async update(changes: readonly Change[]): Promise<PerItem<StoredRecord | boolean>[]> {
    const inputs = changes.map(({ id, changes: changed, before }) => {
      const { Values: values, ...own } = changed
      const cleared = values ? Object.fromEntries(Object.keys(Object(before.Values)).map((name) => [name, null])) : {}
      return { id, properties: written({ ...toRow(this.table, codec, own), ...toRow(this.custom.values, codec, { ...cleared, ...(values as Values) }) }) }
    })
    return this.sent(inputs)
  }

  protected override recordOf(row: Row): StoredRecord {
    const record = super.recordOf(row)
    const values = Object.entries(toRecord(this.custom.values, codec, row.properties)).filter(([, value]) => value !== null)
    return { ...record, ObjectID: `${this.table.object}.${row.id}`, ObjectName: this.custom.name, Values: Object.fromEntries(values) as Values }
  }
}

/** Records of all custom objects. */
export class CustomObjects implements Handler {
  private readonly schemas: Schemas
  private readonly objectsOf: (object: string) => Objects

  constructor(schemas: Schemas, objectsOf: (object: string) => Objects) {
    this.schemas = schemas
    this.objectsOf = objectsOf
  }

  /** The objects differ, but values of one type are compared in the same way in all of them. */
  narrows(condition: Condition): ReturnType<Handler['narrows']> {
    // Ids of ours are made of two of theirs.
    if (condition.field === 'ObjectID' || (condition.name === undefined && !OWN.has(condition.field))) return 'not'
    const own = condition.name === undefined ? OWN.get(condition.field) : undefined
    const place = own ?? { name: condition.name ?? '', kind: 'text' }
    if (!filterGroupsOf(place, condition)) return 'not'
    return isExact(place, condition) ? 'exactly' : 'roughly'
  }

  orders({ field, name }: Order): boolean {
    return name === undefined && (field === 'CreatedDate' || field === 'UpdatedDate')
  }

  async get(ids: readonly string[]): Promise<StoredRecord[]> {
    const records: StoredRecord[] = []
    for (const [object, own] of grouped(ids)) {
      const custom = await this.schemas.byTypeId(object)
      if (custom) records.push(...(await this.records(custom).get(own)))
    }
    return records
  }

  async find(query: DriverQuery): Promise<DriverPage> {
    const custom = await this.named(query.object)
    return custom ? this.records(custom).find(query) : { records: [] }
  }

  async count(query: Parameters<Handler['count']>[0]): Promise<number> {
    const custom = await this.named(query.object)
    return custom ? this.records(custom).count(query) : 0
  }

  async create(records: readonly StoredRecord[]): Promise<PerItem<Created>[]> {
    const tables = await this.schemas.tables()
    return this.spread(
      records,
      (record) => String(record.ObjectName),
      async (name, part) => {
        const custom = tables.get(name)
        if (!custom) return part.map(() => new DriverError('platform_rejected', `HubSpot has no custom object ${name}.`))
        return this.records(custom).create(part)
      },
    )
  }

  async update(changes: readonly Change[]): Promise<PerItem<StoredRecord | boolean>[]> {
    return this.spread(
      changes,
      ({ id }) => partsOf(id)?.object ?? '',
      async (object, part) => {
        const custom = await this.schemas.byTypeId(object)
        if (!custom) return part.map(() => false)
        return this.records(custom).update(part.map((change) => ({ ...change, id: partsOf(change.id)?.id ?? '' })))
      },
    )
  }

  async delete(ids: readonly string[]): Promise<PerItem<boolean>[]> {
    return this.spread(
      ids,
      (id) => partsOf(id)?.object ?? '',
      async (object, part) => {
        if (!(await this.schemas.byTypeId(object))) return part.map(() => false)
        return this.objectsOf(object).archive(part.map((id) => partsOf(id)?.id ?? ''))
      },
    )
  }

  private async named(object: string | undefined): Promise<CustomTable | undefined> {
    return object === undefined ? undefined : (await this.schemas.tables()).get(object)
  }

  private records(custom: CustomTable): CustomRecords {
    return new CustomRecords(this.objectsOf(custom.table.object), custom)
  }

  /** Writes what belongs to one object together, and answers in the order in which it was asked. */
  private async spread<I, T>(
    items: readonly I[],
    nameOf: (item: I) => string,
    send: (name: string, part: readonly I[]) => Promise<PerItem<T>[]>,
  ): Promise<PerItem<T>[]> {
    const answers: PerItem<T>[] = new Array(items.length)
    for (const name of new Set(items.map(nameOf))) {
      const own = items.flatMap((item, index) => (nameOf(item) === name ? [{ item, index }] : []))
      const answered = await send(
        name,
        own.map(({ item }) => item),
      )
      for (const [i, { index }] of own.entries()) answers[index] = answered[i] as PerItem<T>
    }
    return answers
  }
}

const OWN: ReadonlyMap<string, Place> = new Map(Object.entries(common('ObjectID', 'hs_createdate', 'hs_lastmodifieddate')))

/** The id of the object type and that of the record in it. */
function partsOf(id: string): { readonly object: string; readonly id: string } | undefined {
  const [, object, own] = /^(2-\d{1,18})\.(\d{1,19})$/.exec(id) ?? []
  return object !== undefined && isId(own) ? { object, id: own } : undefined
}

function grouped(ids: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const one of ids) {
    const known = partsOf(one)
    if (known) groups.set(known.object, [...(groups.get(known.object) ?? []), known.id])
  }
  return groups
}
