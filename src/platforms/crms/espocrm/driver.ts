import type { Family, FieldKind } from '../../../contract/fields.ts'
import { recordType } from '../../../contract/operations.ts'
import { CustomObject } from '../../../contract/records/custom-object.ts'
import type { Condition, Conversion, Order, StoredRecord } from '../../platform.ts'
import type { Created, CrmDriver, DriverQuery, PerItem } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place, Tables } from '../engine/tables.ts'
import { extrasOf, familyOf, limitsOf, unreachable } from '../engine/translation.ts'
import { EXTERNAL_ID_REMEDY } from './account-fields.ts'
import type { Api } from './api.ts'
import { narrowed } from './conditions.ts'
import { convertLead, foreseeConversion } from './conversion.ts'
import type { WithCurrencies } from './currencies.ts'
import type { CustomObjects } from './custom-objects.ts'
import { isNotOffered } from './errors.ts'
import { createAttached } from './feed.ts'
import { Memberships } from './memberships.ts'
import { Notes, type Parent } from './notes.ts'
import { type Limits, Records } from './records.ts'
import { recordShape, type Shape } from './shapes.ts'
import { subscribe } from './subscriptions.ts'
import { commonPlace, MEMBERSHIPS } from './tables.ts'
import { narrowedTree } from './trees.ts'
import { findUser, userNames } from './users.ts'
import { searchWords } from './word-search.ts'

export interface Parts {
  /** The API user's. */
  readonly api: Api
  /** The administrator's, where there is one, and the API user's otherwise: for everything about custom objects. */
  readonly design: Api
  /** Whether `design` is an administrator. */
  readonly isAdministrator: boolean
  readonly customs: CustomObjects
  readonly tables: Tables
  readonly currencies: WithCurrencies
  readonly limits: Limits
}

const MEMBERSHIP = 'Membership'
const CUSTOM = CustomObject.name
/** The types whose changes are pushed. */
const PUSHED = ['Lead', 'Opportunity', 'Case', 'Company', 'Contact', 'Campaign'] as const

/** A field of a custom object in as far as it is known before the object is. */
const KINDS: { readonly [family in Family]: FieldKind } = {
  text: 'longText',
  number: 'number',
  date: 'date',
  timestamp: 'timestamp',
  boolean: 'boolean',
  list: 'choices',
}

/** EspoCRM as one of the CRMs. */
export function createEspocrmDriver({ api, design, isAdministrator, customs, tables, currencies, limits }: Parts): CrmDriver {
  const shapes = new Map(Object.entries(tables).map(([type, table]) => [type, recordShape(type, table, currencies)]))
  const records = new Records(api, limits)
  const customRecords =
    design === api ? records : new Records(design, { ...limits, unwritable: () => new Set(), unanswered: () => new Set(), refresh: async () => {} })
  const notes = new Notes(api, records, limits.page)
  const memberships = new Memberships(api, { lead: objectOf('Lead'), campaign: objectOf('Campaign') }, limits.page)

  function objectOf(type: string): string {
    return tables[type]?.object ?? type
  }

  function shapeFor(type: string): Shape {
    const shape = shapes.get(type)
    if (!shape) throw unreachable(`EspoCRM has no place for ${type}.`)
    return shape
  }

  const isChild = (type: string) => type !== MEMBERSHIP && recordType(type).childOf !== undefined

  /** The parent record whose notes or comments a search is for. */
  function parentOf(type: string, on: string | undefined, where: readonly Condition[]): Parent {
    const { types = [], field } = recordType(type).childOf ?? {}
    const id = where.find((condition) => condition.field === field && condition.operator === 'eq')?.value
    if (typeof id !== 'string') throw unreachable(`${type}s can only be searched by their parent record.`)
    return { object: objectOf(on ?? types[0] ?? ''), id }
  }

  function placeFor(type: string, { field, name, family }: Condition): Place | undefined {
    if (type !== CUSTOM) return shapeFor(type).place(field, name)
    if (name !== undefined) return { name, kind: KINDS[family] }
    return field === 'ObjectID' ? { name: 'id', kind: 'id' } : commonPlace(field)
  }

  /** Of the custom objects that these records are of. */
  async function customShapes(ids: readonly string[]): Promise<Shape[]> {
    const known = new Set(await Promise.all(ids.map((id) => customs.shapeOf(id))))
    return [...known].flatMap((shape) => shape ?? [])
  }

  async function each<T, R>(list: readonly T[], one: (item: T) => Promise<R>): Promise<PerItem<R>[]> {
    return Promise.all(
      list.map((item) =>
        one(item).catch((error: unknown) => {
          if (error instanceof DriverError) return error
          throw error
        }),
      ),
    )
  }

  async function created(type: string, record: StoredRecord, on: string | undefined): Promise<Created> {
    if (type === MEMBERSHIP) return memberships.create(record)
    if (type === CUSTOM) {
      const shape = await customs.shape(record.ObjectName as string)
      if (!shape) throw new DriverError('not_found', `EspoCRM does not show the object ${record.ObjectName}.`, { hint: GRANTED })
      return customRecords.create(shape, record)
    }
    const shape = shapeFor(type)
    if (!isChild(type)) return records.create(shape, record)
    const { types = [], field = '' } = recordType(type).childOf ?? {}
    return notes.create(shape, { object: objectOf(on ?? types[0] ?? ''), id: record[field] as string }, record)
  }

  return {
    name: 'espocrm',
    supports: {
      fields: limitsOf({ ...tables, [MEMBERSHIP]: MEMBERSHIPS }, { ExternalID: EXTERNAL_ID_REMEDY }),
      extras: extrasOf(tables),
      authors: [],
      tickMs: 1000,
      page: limits.page,
      together: 1,
      lagMs: 0,
    },

    narrows(type, condition) {
      const { field, operator } = condition
      const isParent = type === MEMBERSHIP ? field === 'LeadID' || field === 'CampaignID' : recordType(type).childOf?.field === field
      if (isParent) return operator === 'eq' && typeof condition.value === 'string' ? 'exactly' : 'not'
      if (type === MEMBERSHIP) return 'not'
      return narrowed(placeFor(type, condition), type === CUSTOM && field === 'ObjectID' ? withoutObject(condition) : condition)?.how ?? 'not'
    },

    narrowsTree(type, where) {
      if (type === MEMBERSHIP || isChild(type)) return 'not'
      return narrowedTree((condition) => placeFor(type, condition), where)?.how ?? 'not'
    },

    orders(type, { field, name }: Order) {
      if (type === MEMBERSHIP || isChild(type)) return false
      if (name !== undefined) {
        const known = customs.remembered(name)
        return known.length > 0 && known.every(({ Type }) => Type === 'Number' || Type === 'Date' || Type === 'DateTime')
      }
      const place = type === CUSTOM ? commonPlace(field) : shapeFor(type).place(field)
      return place !== undefined && place.filters !== false && (place.sorts ?? isSorted(place))
    },

    async get(type, ids) {
      if (type === MEMBERSHIP) return memberships.get(ids)
      if (type !== CUSTOM) return records.get(shapeFor(type), ids)
      return (await Promise.all((await customShapes(ids)).map((shape) => customRecords.get(shape, ids)))).flat()
    },

    async changedBy(type, ids) {
      const maps = type === CUSTOM ? (await customShapes(ids)).map((shape) => customRecords.changedBy(shape, ids)) : [records.changedBy(shapeFor(type), ids)]
      return new Map((await Promise.all(maps)).flatMap((users) => [...users]))
    },

    async find(type, query: DriverQuery) {
      if (type === MEMBERSHIP) return memberships.find(query)
      if (isChild(type)) return notes.find(shapeFor(type), parentOf(type, query.on, query.where), query)
      if (type !== CUSTOM) return records.find(shapeFor(type), query)
      const shape = await customs.shape(query.object ?? '')
      return shape ? customRecords.find(shape, query) : { records: [] }
    },

    async search(text, types, limit) {
      const many = { limit, page: limits.page }
      const found = await Promise.all(
        types.map(async (type) => {
          if (type !== CUSTOM) return (await searchWords(api, shapeFor(type), text, many)).map((record) => ({ type, record }))
          const objects = await Promise.all((await customs.objects()).map((name) => customs.shape(name)))
          const each = await Promise.all(objects.map((shape) => (shape ? searchWords(design, shape, text, many) : [])))
          const records = each.flat().sort((a, b) => (String(a.CreatedDate) < String(b.CreatedDate) ? 1 : -1))
          return records.slice(0, limit).map((record) => ({ type, record }))
        }),
      )
      return found.flat()
    },

    async count(type, query) {
      if (type === MEMBERSHIP) return memberships.count(query)
      if (isChild(type)) return notes.count(shapeFor(type), parentOf(type, query.on, query.where), query)
      if (type !== CUSTOM) return records.count(shapeFor(type), query)
      const shape = await customs.shape(query.object ?? '')
      return shape ? customRecords.count(shape, query) : 0
    },

    ...createAttached({ records: isAdministrator ? customRecords : undefined, memberships, tables, currencies }),

    create: (type, drafts, on) => each(drafts, (record) => created(type, record, on)),

    update: (type, changes) =>
      each(changes, async ({ id, changes, before }) => {
        if (type !== CUSTOM) return records.update(shapeFor(type), id, changes, before)
        const shape = await customs.shapeOf(id)
        return shape ? customRecords.update(shape, id, changes, before) : false
      }),

    delete: (type, ids) =>
      each(ids, async (id) => {
        if (type === MEMBERSHIP) return memberships.delete(id)
        if (type !== CUSTOM) return records.delete(shapeFor(type), id)
        const shape = await customs.shapeOf(id)
        return shape ? customRecords.delete(shape, id) : false
      }),

    keepsErased: () => 'EspoCRM keeps it in its database, marked as deleted, until its clean-up job removes it or an administrator does.',

    ...(isStock(tables) && {
      convertLead: (conversion: Conversion) =>
        convertLead(api, conversion, { opportunities: shapeFor('Opportunity'), checksDuplicates: Object.keys(limits.headers).length === 0 }),
      foreseeConversion: (conversion: Conversion) => foreseeConversion(api, conversion, tables.Lead?.fields.Status),
    }),

    objects: () => customs.objects(),
    definitions: () => customs.definitions(),

    define: (objectName, fresh) => customs.define(objectName, fresh),

    // EspoCRM counts no requests.
    quota: () => undefined,

    now: () => api.now(),
    subscribe: (address, path) =>
      subscribe(
        api,
        PUSHED.map((type) => objectOf(type)),
        address,
        path,
      ),

    findUser: (id) => findUser(api, id),
    userNames: () => userNames(api),

    async ping() {
      await api.me().catch((error: unknown) => {
        // An answer that this is not offered proves that the CRM is reachable.
        if (!isNotOffered(error)) throw error
      })
    },

    async close() {
      await Promise.all([api.close(), ...(design === api ? [] : [design.close()])])
    },
  }
}

/** Whether records live in the objects that EspoCRM's own conversion knows. */
const isStock = (tables: Tables) =>
  Object.entries({ Lead: 'Lead', Company: 'Account', Contact: 'Contact', Opportunity: 'Opportunity' }).every(
    ([type, object]) => tables[type]?.object === object,
  )

const GRANTED = 'New objects are out of reach of API users until a role grants them.'

/** Amounts are sorted by what they are worth in one currency, which is not how we compare them. */
function isSorted(place: Place): boolean {
  const family = familyOf(place)
  return family === 'date' || family === 'timestamp' || (family === 'number' && place.kind !== 'money')
}

/** Our ids of custom objects begin with the object. */
function withoutObject(condition: Condition): Condition {
  const { value } = condition
  const plain = <T>(one: T) => (typeof one === 'string' ? one.slice(one.indexOf('.') + 1) : one)
  return { ...condition, value: Array.isArray(value) ? value.map(plain) : plain(value as string) }
}
