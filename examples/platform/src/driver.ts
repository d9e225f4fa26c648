import {
  type Codec,
  type Condition,
  type Connection,
  type CrmDriver,
  type Definition,
  DriverError,
  type DriverQuery,
  extrasOf,
  limitsOf,
  type PerItem,
  placeOf,
  type StoredRecord,
  type Tables,
  toNewRow,
  toRecord,
  toRow,
  type Value,
} from 'crm-connector/platform'
import { OTHER_TABLES } from './tables.ts'

type Row = { readonly [name: string]: unknown }
type Page = { readonly rows: readonly Row[]; readonly next?: string }

/** Notebook keeps JSON, so that values need no translation. */
const codec: Codec = { write: (_, value) => value, read: (_, raw) => raw as Value }

/** Notebook as the engine drives it. The engine filters and sorts whatever is not left to the CRM. */
export function notebookDriver(connection: Connection, tables: Tables): CrmDriver {
  const tableOf = (type: string) => {
    const table = tables[type] ?? OTHER_TABLES[type]
    if (!table) throw new DriverError('unsupported', `Notebook has no ${type}.`)
    return table
  }
  const path = (type: string, id?: string) => `/${tableOf(type).object}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
  const read = (type: string, row: Row): StoredRecord => toRecord(tableOf(type), codec, row)

  /** Notebook compares texts exactly, and nothing else. */
  const isExact = (type: string, { field, name, operator, value }: Condition) =>
    name === undefined && operator === 'eq' && typeof value === 'string' && placeOf(tableOf(type), field) !== undefined

  async function page(type: string, { where, object, size = 0, cursor }: Partial<DriverQuery> & Pick<DriverQuery, 'where'>): Promise<Page & { total: number }> {
    const query = new URLSearchParams({ _limit: String(size), ...(cursor !== undefined && { _after: cursor }) })
    for (const { field, value } of where) query.append(placeOf(tableOf(type), field)?.name ?? field, String(value))
    if (object !== undefined) query.append('kind', object)
    return connection.json({ method: 'GET', path: `${path(type)}?${query}` })
  }

  return {
    name: 'notebook',
    supports: {
      fields: limitsOf(tables),
      extras: extrasOf(tables),
      authors: ['Note', 'Comment'],
      tickMs: 1,
      page: 500,
      together: 1,
      lagMs: 0,
    },

    narrows: (type, condition) => (isExact(type, condition) ? 'exactly' : 'not'),
    orders: () => false,

    async get(type, ids) {
      const rows = await Promise.all(ids.map((id) => connection.json<Row>({ method: 'GET', path: path(type, id) }).catch(unlessMissing)))
      return rows.flatMap((row) => (row ? [read(type, row)] : []))
    },

    async find(type, query) {
      const { rows, next } = await page(type, query)
      return { records: rows.map((row) => read(type, row)), ...(next !== undefined && { cursor: next }) }
    },

    count: async (type, query) => (await page(type, query)).total,

    /** Notebook has no search of its own: every page is read, which only a small one can afford. */
    async search(text, types, limit) {
      const words = text.toLowerCase().split(/\s+/)
      const found = await Promise.all(
        types.map(async (type) => {
          const hits: { type: string; record: StoredRecord }[] = []
          let cursor: string | undefined
          do {
            const { rows, next } = await page(type, { where: [], size: 500, ...(cursor !== undefined && { cursor }) })
            for (const record of rows.map((row) => read(type, row))) {
              const content = JSON.stringify(record).toLowerCase()
              if (words.every((word) => content.includes(word))) hits.push({ type, record })
            }
            cursor = next
          } while (cursor !== undefined && hits.length < limit)
          return hits.slice(0, limit)
        }),
      )
      return found.flat()
    },

    create: (type, records) =>
      each(records, async (record) => read(type, await connection.json({ method: 'POST', path: path(type), body: toNewRow(tableOf(type), codec, record) }))),

    update: (type, changes) =>
      each(changes, async ({ id, changes: changed }) => {
        const row = await connection.json<Row>({ method: 'PATCH', path: path(type, id), body: toRow(tableOf(type), codec, changed) }).catch(unlessMissing)
        return row ? read(type, row) : false
      }),

    delete: (type, ids) =>
      each(ids, async (id) => {
        const answer = await connection.send({ method: 'DELETE', path: path(type, id) }).catch(unlessMissing)
        return answer !== undefined
      }),

    objects: async () => [...new Set((await allDefinitions(connection)).map(({ ObjectName }) => ObjectName))],
    definitions: async () => (await allDefinitions(connection)).filter(({ FieldName }) => FieldName !== ''),
    async define(objectName, fresh) {
      // A row without a field stands for the object itself, which may have none.
      for (const body of [{ ObjectName: objectName, FieldName: '' }, ...fresh]) await connection.json({ method: 'POST', path: '/definitions', body })
    },

    // Notebook counts no requests.
    quota: () => undefined,
    now: () => connection.now(),
    ping: async () => void (await connection.json({ method: 'GET', path: '/users?_limit=1' })),
    close: () => connection.close(),
  }
}

async function allDefinitions(connection: Connection): Promise<Definition[]> {
  const all: Definition[] = []
  let next: string | undefined
  do {
    const page: Page = await connection.json({ method: 'GET', path: `/definitions?_limit=500${next === undefined ? '' : `&_after=${next}`}` })
    all.push(...(page.rows as unknown as Definition[]))
    next = page.next
  } while (next !== undefined)
  return all
}

/** What is not there is undefined, not a failure. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof DriverError) || error.code !== 'not_found') throw error
}

/** One request for each item. A failure of one is its own, and does not end the others. */
function each<T, R>(items: readonly T[], one: (item: T) => Promise<R>): Promise<PerItem<R>[]> {
  return Promise.all(
    items.map((item) =>
      one(item).catch((error: unknown) => {
        if (error instanceof DriverError) return error
        throw error
      }),
    ),
  )
}
