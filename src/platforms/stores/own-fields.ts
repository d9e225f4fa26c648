import { isCondition } from '../../contract/conditions.ts'
import { FIELD_KINDS } from '../../contract/fields.ts'
import { recordType } from '../../contract/operations.ts'
import { literalMaker } from '../../helpers/literal-maker.ts'
import { memoise } from '../../helpers/memoise.ts'
import type { Condition, ExtraField, Order, OwnStorage, OwnValues, Query, Reader, StoredRecord, TallyQuery, Where } from '../platform.ts'
import type { OwnFields, Store, StoreWriter } from '../store.ts'
import { OWN } from './sql/tables.ts'

type FieldMap = ReadonlyMap<string, ExtraField>

/**
 * A store as a workspace sees it that has defined fields. They are members of a record like any other; below this they are the values of one column.
 * Records of a type without such fields pass as they are.
 */
export function withOwnFields(store: Store, { extras, limits, retired }: OwnFields): Store {
  const fields = new Map(Object.entries(extras).map(([type, of]) => [type, new Map(Object.entries(of ?? {}))]))
  const fieldsOf = (type: string): FieldMap => fields.get(type) ?? NONE
  const retiredOf = (type: string) => Object.entries(retired[type] ?? {})
  /** How each field is kept, retired ones included. */
  const storageOf = memoise((type: string) => {
    const inUse = [...fieldsOf(type)].flatMap(([name, { own }]): [string, OwnStorage][] => (own ? [[name, own]] : []))
    return new Map<string, OwnStorage>([...inUse, ...retiredOf(type)])
  })
  const isOwn = (type: string) => fields.has(type) || Object.hasOwn(retired, type)

  /** Copies a record as read: null where there is no value, and nothing of retired fields. */
  const wholeOf = memoise((type: string) =>
    literalMaker<StoredRecord, StoredRecord>('record', [
      ...Object.keys(recordType(type).fields).map((name) => [name, `record[${JSON.stringify(name)}]`] as const),
      ...[...fieldsOf(type).keys()].map((name) => [name, `record[${JSON.stringify(name)}] ?? null`] as const),
    ]),
  )

  /** A record as read with some of its fields: null where one of these has no value. */
  const narrow = (type: string, names: readonly string[]) => (record: StoredRecord) => {
    for (const name of names) if (fieldsOf(type).has(name)) record[name] ??= null
    return record
  }

  function conditionOn(type: string, condition: Condition): Condition {
    const on = condition.through?.type ?? type
    const field = fieldsOf(on).get(condition.field)
    return field ? { ...condition, field: OWN, name: condition.field, indexed: field.own?.indexed ?? false } : condition
  }

  function whereOn(type: string, where: readonly Where[]): Where[] {
    return where.map((one) => {
      if (isCondition(one)) return conditionOn(type, one)
      return 'not' in one ? { not: whereOn(type, one.not) } : { any: one.any.map((all) => whereOn(type, all)) }
    })
  }

  function orderOn(type: string, order: Order): Order {
    const field = fieldsOf(type).get(order.field)
    if (!field) return order
    return { ...order, field: OWN, name: order.field, family: FIELD_KINDS[field.kind] ?? 'text', indexed: field.own?.indexed ?? false }
  }

  function queryOn(type: string, query: Query): Query {
    const order = orderOn(type, query.order)
    if (query.where.length === 0 && order === query.order && !query.fields) return query
    const names = query.fields && [...new Set(query.fields.map((name) => (fieldsOf(type).has(name) ? OWN : name)))]
    return { ...query, where: whereOn(type, query.where), order, ...(names && { fields: names }) }
  }

  const tallyOn = (type: string, query: TallyQuery): TallyQuery => ({ ...query, where: whereOn(type, query.where) })

  const made = (type: string, record: StoredRecord) => (isOwn(type) ? wholeOf(type)(record) : record)

  function reading(reader: Reader): Reader {
    const some = (type: string) => (record: StoredRecord | undefined) => record && made(type, record)
    return {
      get: (type, id) => reader.get(type, id).then(some(type)),
      getWithTotals: (type, id) => reader.getWithTotals(type, id).then((found) => found && { ...found, record: made(type, found.record) }),
      getAll: async (type, ids) => (await reader.getAll(type, ids)).map((record) => made(type, record)),
      find(type, query) {
        const finding = reader.find(type, queryOn(type, query))
        if (!isOwn(type)) return finding
        const make = query.fields ? narrow(type, query.fields) : wholeOf(type)
        return finding.then(({ records, more }) => ({ records: records.map(make), more }))
      },
      tally: (type, query) => reader.tally(type, tallyOn(type, query)),
      count: (type, where) => reader.count(type, whereOn(type, where)),
      firstCreated: (type, owners) => reader.firstCreated(type, owners),
      async oldestNotIn(type, owners, states) {
        return some(type)(await reader.oldestNotIn(type, owners, states))
      },
      search: async (query) => (await reader.search(query)).map(({ type, record }) => ({ type, record: made(type, record) })),
      matches: reader.matches,
    }
  }

  /** A record, or changes of one, with such values in their column; null clears one. An undo restores images that may have fields which were retired since. */
  function split(type: string, record: StoredRecord, isKept: (name: string, value: unknown) => boolean = () => true): StoredRecord {
    const storage = storageOf(type)
    if (storage.size === 0) return record
    const rest: StoredRecord = {}
    const values: { [group in 'indexed' | 'plain']?: { [name: string]: unknown } } = {}
    let hasOwn = false
    for (const [name, value] of Object.entries(record)) {
      const own = storage.get(name)
      hasOwn ||= own !== undefined
      if (!own) rest[name] = value
      else if (isKept(name, value)) {
        const group = own.indexed ? 'indexed' : 'plain'
        values[group] ??= {}
        values[group][name] = value
      }
    }
    if (!hasOwn) return record
    rest[OWN] = values
    return rest
  }

  /** A new record with the values that it has. */
  function stored(type: string, record: StoredRecord): StoredRecord {
    const made = split(type, record, (_, value) => value !== null && value !== undefined)
    if (made !== record && Object.keys(made[OWN] as OwnValues).length === 0) made[OWN] = null
    return made
  }

  /** The retired fields that refer to records of a type. Values of theirs are seen again once the field is. */
  const retiredTo = memoise((type: string) =>
    Object.keys(retired).flatMap((of) => retiredOf(of).flatMap(([name, { refers }]) => (refers === type ? [{ of, name }] : []))),
  )

  function writing(writer: StoreWriter): StoreWriter {
    const reader = reading(writer)

    /** Empties the retired references to a record that is about to be deleted; the others are the core's, which records it. */
    async function emptyRetired(type: string, id: string): Promise<void> {
      for (const { of, name } of retiredTo(type)) {
        const where: Condition[] = [{ field: OWN, name, indexed: true, family: 'text', operator: 'eq', value: id }]
        const idField = recordType(of).id
        let isMore = true
        while (isMore) {
          const { records, more } = await writer.find(of, { where, order: { field: idField, descending: false }, limit: PAGE, fields: [] })
          for (const record of records) await writer.update(of, record[idField] as string, { [OWN]: { indexed: { [name]: null } } })
          await writer.pause()
          isMore = more
        }
      }
    }

    /** A record without retired references to what is gone. */
    async function withoutDangling(type: string, record: StoredRecord): Promise<StoredRecord> {
      const kept = { ...record }
      for (const [name, { refers }] of retiredOf(type))
        if (refers && typeof record[name] === 'string' && !(await writer.getForReference(refers, record[name]))) delete kept[name]
      return kept
    }
    const overriding: Partial<StoreWriter> = {
      ...reader,
      inMirror: () => writing(writer.inMirror()),
      async getForReference(type, id) {
        const record = await writer.getForReference(type, id)
        return record && made(type, record)
      },
      async create(type, record) {
        await writer.create(type, stored(type, record))
        return record
      },
      restore: async (type, record) => writer.restore(type, stored(type, await withoutDangling(type, record))),
      async delete(type, id) {
        await emptyRetired(type, id)
        return writer.delete(type, id)
      },
      async erase(type, id) {
        await emptyRetired(type, id)
        return writer.erase(type, id)
      },
      async update(type, id, changes, unchanged) {
        const after = await writer.update(
          type,
          id,
          split(type, changes, (name) => fieldsOf(type).has(name)),
          unchanged,
        )
        return after && made(type, after)
      },
    }
    return new Proxy(writer, {
      get(target, name) {
        const own = overriding[name as keyof StoreWriter]
        if (own !== undefined) return own
        const value = target[name as keyof StoreWriter]
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  return {
    ...store,
    supports: { ...store.supports, extras, fields: { ...store.supports.fields, ...limits } },
    reader: (workspace, options) => reading(store.reader(workspace, options)),
    mirror: (workspace, options) => reading(store.mirror(workspace, options)),
    write: (workspace, work, options) => store.write(workspace, (writer) => work(writing(writer)), options),
  }
}

/** Records whose retired references are emptied at a time. */
const PAGE = 100

const NONE: ReadonlyMap<string, never> = new Map<string, never>()
