import type { StoredRecord } from '../../platform.ts'
import { valueIn } from './comparison.ts'
import type { CrmDriver, DriverPage, DriverQuery } from './driver.ts'
import { DriverError } from './errors.ts'

/** So often a question is asked anew without anything new coming of it. */
const FRUITLESS = 3

/**
 * All records that a CRM has for a question, page by page, by its own cursor. Where it no longer knows that, it is asked anew from the last
 * value on, and what has been seen is left out. With `ahead` the next page is on its way while this one is looked at.
 */
export async function* rowsOf(wire: CrmDriver, type: string, id: string, asked: DriverQuery, ahead: () => boolean): AsyncGenerator<StoredRecord[]> {
  const seen = new Seen(id, asked)
  let coming: Promise<DriverPage> | undefined
  let from = asked.from
  let cursor: string | undefined
  let fruitless = 0
  for (;;) {
    const question: DriverQuery = { ...asked, ...(from && { from }), ...(cursor !== undefined && { cursor }) }
    let page: DriverPage
    try {
      page = await (coming ?? wire.find(type, question))
    } catch (error) {
      coming = undefined
      if (cursor === undefined || !isStale(error)) throw error
      if (fruitless === FRUITLESS) throw lost(wire, error)
      fruitless++
      cursor = undefined
      from = seen.last ?? asked.from
      continue
    }
    cursor = page.cursor
    coming = undefined
    if (cursor !== undefined && ahead()) {
      coming = wire.find(type, { ...asked, cursor })
      // Who stops here never asks how it ended.
      coming.catch(() => {})
      // It is sent before anybody sets to work on this one.
      await new Promise(setImmediate)
    }
    const fresh = page.records.filter((record) => seen.isNew(record))
    if (fresh.length > 0) fruitless = 0
    yield fresh
    if (cursor === undefined) return
  }
}

/** Where more records have one value than a page holds, asking anew from that value on leads nowhere. */
const lost = ({ name }: CrmDriver, cause: unknown) =>
  new DriverError('platform_unavailable', `${name} forgets its cursors faster than its pages can be read.`, {
    hint: 'Ask again later, or narrow the search with Filters.',
    retryAfterMs: 5_000,
    cause,
  })

const isStale = (error: unknown) => error instanceof DriverError && error.code === 'conflict'

/** What has been seen so far: of an ordered search only what has the last value can come again. */
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
