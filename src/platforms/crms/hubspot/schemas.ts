import { CUSTOM_TYPES, CustomObject, type CustomType } from '../../../contract/records/custom-object.ts'
import type { Definition } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place, Table } from '../engine/tables.ts'
import { choicesOf, isMultiple, type Property } from './account-properties.ts'
import { decodedName, encodedName } from './custom-names.ts'
import type { Hub } from './hub.ts'
import { parts, settled, TOGETHER } from './objects.ts'
import { common } from './tables.ts'
import { worded } from './words.ts'

interface Schema {
  readonly objectTypeId: string
  readonly name: string
  readonly archived?: boolean
  readonly properties: readonly Property[]
}

/** A custom object as it is now. */
export interface CustomTable {
  /** Its name with us. */
  readonly name: string
  /** What its records have beside their values. */
  readonly table: Table
  /** The values, by our names. */
  readonly values: Table
  readonly definitions: readonly Definition[]
  /** Where new properties are put. */
  readonly groupName: string
}

/** Definitions are as old as this at most, unless they are changed here. */
const KNOWN_MS = 60_000

/** How each type of ours is made there. */
const TYPES: { readonly [T in Exclude<CustomType, 'Reference'>]: { readonly type: string; readonly fieldType: string } } = {
  String: { type: 'string', fieldType: 'textarea' },
  Number: { type: 'number', fieldType: 'number' },
  Boolean: { type: 'bool', fieldType: 'booleancheckbox' },
  Date: { type: 'date', fieldType: 'date' },
  DateTime: { type: 'datetime', fieldType: 'date' },
  Choice: { type: 'enumeration', fieldType: 'select' },
  Choices: { type: 'enumeration', fieldType: 'checkbox' },
}

const TRUTHS = [
  { label: 'Yes', value: 'true', displayOrder: 0, hidden: false },
  { label: 'No', value: 'false', displayOrder: 1, hidden: false },
]

const TEXTS: ReadonlySet<string> = new Set(['text', 'textarea', 'phonenumber'])

/** An object needs a property to be shown by. Where none of ours is a text, this one is made, and not shown. */
const SHOWN_BY = 'crm_connector_name'

/** Names that a record has already, so that no value can be called so. */
const TAKEN: ReadonlySet<string> = new Set([...Object.keys(CustomObject.fields), 'Fields'])

/** The custom objects of an account. */
export class Schemas {
  private readonly connection: Hub
  private known: { readonly at: number; readonly tables: Promise<Map<string, CustomTable>> } | undefined

  constructor(connection: Hub) {
    this.connection = connection
  }

  /** By our names. */
  tables(): Promise<Map<string, CustomTable>> {
    if (!this.known || Date.now() - this.known.at > KNOWN_MS) {
      const tables = this.read()
      this.known = { at: Date.now(), tables }
      tables.catch(() => this.forget())
    }
    return this.known.tables
  }

  forget(): void {
    this.known = undefined
  }

  async byTypeId(id: string): Promise<CustomTable | undefined> {
    return [...(await this.tables()).values()].find(({ table }) => table.object === id)
  }

  private async read(): Promise<Map<string, CustomTable>> {
    const answer = await settled(this.connection.json<{ results: Schema[] }>({ method: 'GET', path: `${this.connection.paths.schemas}?archived=false` }))
    // Accounts without custom objects refuse this request.
    if (answer instanceof DriverError && answer.code === 'forbidden') return new Map()
    if (answer instanceof DriverError) throw answer
    const tables = new Map<string, CustomTable>()
    for (const schema of answer.results) {
      const table = tableOf(schema)
      if (!schema.archived && !tables.has(table.name)) tables.set(table.name, table)
    }
    return tables
  }

  /** Adds fields to an object, which is made where there is none. Another process may do the same meanwhile. */
  async define(objectName: string, fresh: readonly Definition[]): Promise<void> {
    this.forget()
    const before = (await this.tables()).get(objectName)
    const done = await settled(before ? this.extend(before, fresh) : this.make(objectName, fresh))
    this.forget()
    if (!(done instanceof DriverError)) return
    const after = (await this.tables()).get(objectName)
    const lacking = fresh.filter(({ FieldName, Type }) => !after?.definitions.some((one) => one.FieldName === FieldName && one.Type === Type))
    if (!after || (lacking.length > 0 && before)) throw done
    // Another process has made the object.
    if (lacking.length > 0) await this.define(objectName, lacking)
  }

  private async make(objectName: string, fresh: readonly Definition[]): Promise<void> {
    const properties = fresh.map(propertyOf)
    const text = fresh.find(({ Type }) => Type === 'String')
    const shownBy = text ? encodedName(text.FieldName) : SHOWN_BY
    if (!text) properties.push({ name: SHOWN_BY, label: 'Name', type: 'string', fieldType: 'text' })
    const body = {
      name: encodedName(objectName),
      labels: { singular: objectName, plural: `${objectName}s` },
      primaryDisplayProperty: shownBy,
      requiredProperties: [],
      searchableProperties: [shownBy],
      secondaryDisplayProperties: [],
      properties,
      associatedObjects: [],
    }
    await this.connection.send({ method: 'POST', path: this.connection.paths.schemas, body })
  }

  private async extend({ table, groupName }: CustomTable, fresh: readonly Definition[]): Promise<void> {
    const inputs = fresh.map((definition) => ({ ...propertyOf(definition), groupName }))
    for (const part of parts(inputs, TOGETHER)) {
      const path = `${this.connection.paths.properties}/${encodeURIComponent(table.object)}`
      const [only] = part
      if (part.length === 1) await this.connection.send({ method: 'POST', path, body: only })
      else {
        const { errors = [] } = await this.connection.json<{ errors?: { message?: string }[] }>({
          method: 'POST',
          path: `${path}/batch/create`,
          body: { inputs: part },
        })
        if (errors.length > 0) throw new DriverError('platform_rejected', `HubSpot refused it: ${errors.map(({ message }) => message).join(' ')}`)
      }
    }
  }
}

function propertyOf({ FieldName, Type, Label, Values }: Definition) {
  if (Type === 'Reference') throw new DriverError('unsupported', `HubSpot has associations in the place of references, so that ${FieldName} cannot be one.`)
  const options = Type === 'Boolean' ? TRUTHS : Values?.map((value, displayOrder) => ({ label: value, value, displayOrder, hidden: false }))
  return { name: encodedName(FieldName), label: Label, ...TYPES[Type], ...(options && { options }) }
}

function typeOf(property: Property): keyof typeof TYPES | undefined {
  const { type, fieldType } = property
  if (type === 'string') return TEXTS.has(fieldType) ? 'String' : undefined
  if (type !== 'enumeration') return (Object.keys(TYPES) as (keyof typeof TYPES)[]).find((one) => TYPES[one].type === type)
  if (fieldType === 'booleancheckbox') return 'Boolean'
  // The options of something else, such as owners, are not told.
  return property.externalOptions ? 'String' : isMultiple(property) ? 'Choices' : 'Choice'
}

function tableOf({ objectTypeId, name, properties }: Schema): CustomTable {
  const objectName = decodedName(name)
  const places: { [field: string]: Place } = {}
  const definitions: Definition[] = []
  let groupName = `${name}_information`
  for (const property of properties) {
    const Type = typeOf(property)
    const FieldName = decodedName(property.name)
    if (!property.hubspotDefined && property.groupName) groupName = property.groupName
    if (!Type || isTheirs(property) || TAKEN.has(FieldName) || Object.hasOwn(places, FieldName)) continue
    const place = placeOf(property, Type)
    places[FieldName] = place
    definitions.push({ ObjectName: objectName, FieldName, Type, Label: property.label, ...(place.closed && { Values: Object.keys(place.values ?? {}) }) })
  }
  const table = { object: objectTypeId, fields: common('ObjectID', 'hs_createdate', 'hs_lastmodifieddate') }
  return { name: objectName, table, values: { object: objectTypeId, fields: places }, definitions, groupName }
}

/** Choices go by the labels of their options. */
function placeOf(property: Property, type: CustomType): Place {
  const place: Place = { name: property.name, kind: CUSTOM_TYPES[type] }
  return type === 'Choice' || type === 'Choices' ? worded(place, choicesOf(property), {}) : place
}

function isTheirs({ name, hubspotDefined, calculated, archived, hidden, modificationMetadata }: Property): boolean {
  return Boolean(
    hubspotDefined || calculated || archived || hidden || modificationMetadata?.readOnlyValue || name === SHOWN_BY || /^(?:hs_|hubspot_)/.test(name),
  )
}
