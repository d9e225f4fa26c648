import { comparisonsIn } from '../../src/contract/conditions.ts'
import { recordType } from '../../src/contract/operations.ts'
import { matches, sorting } from '../../src/platforms/crms/engine/comparison.ts'
import type { ExtraField, FieldLimits, Platform, Query, Reader, StoredRecord, Value, Where, Writer } from '../../src/platforms/platform.ts'
import type { Store } from '../../src/platforms/store.ts'

export interface Extensions {
  readonly fields?: { readonly [type: string]: { readonly [field: string]: FieldLimits } }
  readonly extras?: { readonly [type: string]: { readonly [field: string]: ExtraField } }
}

/**
 * A platform with extra fields. Fields of the contract are stored in a SQLite store, extra fields in memory; fields declared absent are
 * dropped.
 */
export function extendedPlatform(store: Store, { fields = {}, extras = {} }: Extensions): Platform {
  const beside = new Map<string, StoredRecord>()
  const place = (type: string, record: StoredRecord) => `${type} ${record[recordType(type).id]}`
  const isExtra = (type: string, field: string) => Object.hasOwn(extras[type] ?? {}, field)
  const absent = (type: string) => Object.entries(fields[type] ?? {}).flatMap(([field, one]) => (one.absent ? [field] : []))

  const own = (type: string, record: StoredRecord) =>
    Object.fromEntries(Object.entries(record).filter(([field]) => !isExtra(type, field) && !absent(type).includes(field)))
  const keep = (type: string, record: StoredRecord, id = record) =>
    beside.set(place(type, id), { ...beside.get(place(type, id)), ...Object.fromEntries(Object.entries(record).filter(([field]) => isExtra(type, field))) })
  const whole = (type: string, record: StoredRecord): StoredRecord => {
    const none = [...Object.keys(extras[type] ?? {}), ...absent(type)].map((field) => [field, null])
    return { ...record, ...Object.fromEntries(none), ...beside.get(place(type, record)) }
  }

  /** All matching records, in the requested order. */
  async function search(inner: Reader, type: string, { where, order, after, limit, owners, on }: Query) {
    const extra = (one: Where) => comparisonsIn([one]).some(({ field, through }) => !through && isExtra(type, field))
    const [ours, theirs] = [where.filter(extra), where.filter((one) => !extra(one))]
    const { id } = recordType(type)
    const all = await inner.find(type, {
      where: theirs,
      order: { field: id, descending: false },
      limit: Number.MAX_SAFE_INTEGER,
      ...(owners && { owners }),
      ...(on !== undefined && { on }),
    })
    const follows = sorting(order, id)
    const found = all.records
      .map((record) => whole(type, record))
      .filter((record) => ours.every((condition) => matches(record, condition)))
      .sort(follows)
      .filter((record) => !after || follows(record, { [order.field]: after.value, [id]: after.id }) > 0)
    return { records: found.slice(0, limit), more: found.length > limit }
  }

  const reading = (inner: Reader): Reader => ({
    async get(type, id) {
      const record = await inner.get(type, id)
      return record && whole(type, record)
    },
    async getAll(type, ids) {
      return (await inner.getAll(type, ids)).map((record) => whole(type, record))
    },
    async getWithTotals(type, id) {
      const found = await inner.getWithTotals(type, id)
      return found && { ...found, record: whole(type, found.record) }
    },
    find: (type, query) => (extras[type] || fields[type] ? search(inner, type, query) : inner.find(type, query)),
    async tally(type, query) {
      if (!comparisonsIn(query.where).some(({ field }) => isExtra(type, field))) return inner.tally(type, query)
      const { id } = recordType(type)
      const { records } = await search(inner, type, { ...query, order: { field: id, descending: false }, limit: Number.MAX_SAFE_INTEGER })
      return inner.tally(type, { ...query, where: [{ field: id, family: 'text', operator: 'in', value: records.map((one) => one[id] as string) }] })
    },
    count: inner.count.bind(inner),
    firstCreated: inner.firstCreated.bind(inner),
    oldestNotIn: inner.oldestNotIn.bind(inner),
    search: inner.search.bind(inner),
  })

  const writing = (inner: Writer): Writer => ({
    ...reading(inner),
    getForReference: reading(inner).get,
    lockWorkspace: () => inner.lockWorkspace(),
    lockName: (name) => inner.lockName(name),
    newId: () => inner.newId(),
    now: () => inner.now(),
    delete: (type, id) => inner.delete(type, id),
    async create(type, record, on) {
      // The underlying store requires a value for these fields.
      const always = absent(type).map((field) => [field, (recordType(type).fields[field]?.defaultValue ?? null) as Value])
      const made = await inner.create(type, { ...own(type, record), ...Object.fromEntries(always) }, on)
      keep(type, record, made)
      return whole(type, made)
    },
    async update(type, id, changes) {
      const after = await inner.update(type, id, own(type, changes))
      if (after) keep(type, changes, after)
      return after && whole(type, after)
    },
    async restore(type, record) {
      await inner.restore(type, own(type, record))
      keep(type, record)
    },
  })

  return {
    ...store,
    name: 'elsewhere',
    supports: { ...store.supports, fields, extras },
    reader: (workspace) => reading(store.reader(workspace)),
    write: (workspace, work) => store.write(workspace, (writer) => work(writing(writer))),
  }
}
