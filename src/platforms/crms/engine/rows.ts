import { requestLeft } from '../../../helpers/request-left.ts'
import type { StoredRecord } from '../../platform.ts'
import { valueIn } from './comparison.ts'
import type { CrmDriver, DriverPage, DriverQuery } from './driver.ts'
import { DriverError } from './errors.ts'

/** How much larger each page is than the one before, up to the CRM's largest: thousands of records that an import has given one CreatedDate are read in a few requests. */
const GROWTH = 4

/** How often a search is restarted in a row without a new record. */
const MOST_RESTARTS = 3

/**
 * All records of a query, page by page, by the CRM's own cursor. When the cursor has expired, the search is restarted from the last value seen, and
 * records seen before are left out. With `ahead` the next page is fetched while this one is processed.
 */
export async function* rowsOf(driver: CrmDriver, type: string, id: string, query: DriverQuery, ahead: () => boolean): AsyncGenerator<StoredRecord[]> {
  const seen = new Seen(id, query)
  let coming: Promise<DriverPage> | undefined
  let from = query.from
  let cursor: string | undefined
  let restarts = 0
  let { size } = query
  for (;;) {
    const rest: DriverQuery = { ...query, size, ...(from && { from }), ...(cursor !== undefined && { cursor }) }
    let page: DriverPage
    try {
      page = await (coming ?? driver.find(type, rest))
    } catch (error) {
      coming = undefined
      if (cursor === undefined || !isStale(error)) throw error
      if (restarts === MOST_RESTARTS) throw lost(driver, error)
      restarts++
      cursor = undefined
      from = seen.last ?? query.from
      continue
    }
    cursor = page.cursor
    coming = undefined
    size = Math.max(size, Math.min(size * GROWTH, driver.supports.page))
    if (cursor !== undefined && ahead()) {
      coming = driver.find(type, { ...query, size, cursor })
      // A caller that stops here never awaits it.
      coming.catch(() => {})
      await requestLeft()
    }
    const fresh = page.records.filter((record) => seen.isNew(record))
    if (fresh.length > 0) restarts = 0
    yield fresh
    if (cursor === undefined) return
  }
}

/** Where more records share one value than a page has room for, restarting from that value makes no progress. */
const lost = ({ name }: CrmDriver, cause: unknown) =>
  new DriverError('platform_unavailable', `${name} expires its cursors faster than its pages can be read.`, {
    hint: 'Try again later, or narrow the search with Filters.',
    retryAfterMs: 5_000,
    cause,
  })

const isStale = (error: unknown) => error instanceof DriverError && error.code === 'conflict'

/** The records seen so far. In an ordered search only those with the last value can be repeated on the next page. */
class Seen {
  private readonly id: string
  private readonly order: DriverQuery['order']
  private ids = new Set<string>()
  last: DriverQuery['from']

  constructor(id: string, { order }: DriverQuery) {
    this.id = id
    this.order = order
  }

  isNew(record: StoredRecord): boolean {
    const id = record[this.id] as string
    if (this.order) {
      const value = valueIn(record, this.order)
      if (this.last?.value !== value) {
        this.ids = new Set()
        this.last = { value }
      }
    }
    if (this.ids.has(id)) return false
    this.ids.add(id)
    return true
  }
}
