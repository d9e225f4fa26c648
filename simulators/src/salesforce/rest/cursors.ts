import { DAY_MS } from '../../dates.ts'
import type { WireAnswer, WireRequest } from '../../simulated.ts'
import { Refusal } from '../errors.ts'
import type { Org } from '../org.ts'
import type { Session } from '../records/records.ts'
import type { Found } from '../soql/soql.ts'

interface Cursor {
  readonly found: Found
  readonly page: number
  readonly userId: string
  readonly createdAt: number
}

const MOST = 100
const LIFETIME_MS = 2 * DAY_MS

/** Query locators: the remaining pages of queries. The oldest is dropped beyond 100, and each expires after two days. */
export class Cursors {
  private readonly open = new Map<string, Cursor>()
  private createdAt = 0

  first(org: Org, session: Session, request: WireRequest, found: Found, path: string): WireAnswer {
    const page = Math.min(pageOf(request) ?? found.page, found.page)
    if (found.length <= page) return { status: 200, body: { totalSize: found.totalSize, done: true, records: found.show(0, found.length) } }
    const locator = `0r8${org.id.slice(3, 8)}${String(++this.createdAt).padStart(7, '0')}AAC`
    this.open.set(locator, { found, page, userId: session.userId, createdAt: Number(org.world.now()) })
    for (const oldest of this.open.keys()) if (this.open.size > MOST) this.open.delete(oldest)
    return { status: 200, body: this.page(session, locator, found, 0, page, path) }
  }

  /** The page of a locator such as `0r8xx0000000001AAC-2000`. */
  next(org: Org, session: Session, text: string, path: string): WireAnswer {
    const [, locator = '', from = ''] = /^(\w+)-(\d+)$/.exec(text) ?? []
    const cursor = this.open.get(locator)
    const gone = !cursor || cursor.userId !== session.userId || Number(org.world.now()) - cursor.createdAt > LIFETIME_MS || Number(from) >= cursor.found.length
    if (gone) throw staleCursor()
    return { status: 200, body: this.page(session, locator, cursor.found, Number(from), cursor.page, path) }
  }

  /** Closes a locator, and with it all its later pages. */
  end(text: string): void {
    this.open.delete(text.replace(/-\d+$/, ''))
  }

  private page({ version }: Session, locator: string, found: Found, from: number, page: number, path: string): object {
    const to = Math.min(from + page, found.length)
    const done = to >= found.length
    return {
      totalSize: found.totalSize,
      done,
      ...(!done && { nextRecordsUrl: `/services/data/${version}/${path}/${locator}-${to}` }),
      records: found.show(from, to),
    }
  }

  clear(): void {
    this.open.clear()
  }
}

const staleCursor = () => new Refusal(400, 'INVALID_QUERY_LOCATOR', 'invalid query locator')

/** The page size that the caller requests, clamped to 200 to 2000. */
function pageOf({ headers }: WireRequest): number | undefined {
  const [, text] = /batchSize\s*=\s*(\d+)/i.exec(headers['sforce-query-options'] ?? '') ?? []
  return text === undefined ? undefined : Math.max(200, Math.min(2000, Number(text)))
}
