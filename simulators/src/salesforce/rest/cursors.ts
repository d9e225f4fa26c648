import type { WireAnswer, WireRequest } from '../../simulated.ts'
import { Refusal } from '../errors.ts'
import type { Org } from '../org.ts'
import type { Session } from '../records/records.ts'
import type { Found } from '../soql/soql.ts'

interface Cursor {
  readonly found: Found
  readonly page: number
  readonly userId: string
  readonly made: number
}

/** So many cursors are kept, and each for two days. */
const MOST = 100
const KEPT_MS = 2 * 86_400_000

/** Where queries that do not fit a page go on. */
export class Cursors {
  private readonly open = new Map<string, Cursor>()
  private made = 0

  /** The first page of what was found. */
  first(org: Org, session: Session, request: WireRequest, found: Found, path: string): WireAnswer {
    const page = Math.min(pageOf(request) ?? found.page, found.page)
    if (found.length <= page) return { status: 200, body: { totalSize: found.totalSize, done: true, records: found.show(0, found.length) } }
    const locator = `0r8${org.id.slice(3, 8)}${String(++this.made).padStart(7, '0')}AAC`
    this.open.set(locator, { found, page, userId: session.userId, made: Number(org.world.now()) })
    for (const oldest of this.open.keys()) if (this.open.size > MOST) this.open.delete(oldest)
    return { status: 200, body: this.page(session, locator, found, 0, page, path) }
  }

  /** The page that a cursor such as `0r8xx0000000001AAC-2000` stands for. */
  next(org: Org, session: Session, said: string, path: string): WireAnswer {
    const [, locator = '', from = ''] = /^(\w+)-(\d+)$/.exec(said) ?? []
    const cursor = this.open.get(locator)
    const gone = !cursor || cursor.userId !== session.userId || Number(org.world.now()) - cursor.made > KEPT_MS || Number(from) >= cursor.found.length
    if (gone) throw staleCursor()
    return { status: 200, body: this.page(session, locator, cursor.found, Number(from), cursor.page, path) }
  }

  /** Forgets where a query goes on, and with it every later page. */
  end(said: string): void {
    this.open.delete(said.replace(/-\d+$/, ''))
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

/** The page a caller would like, from 200 to 2000 records. */
function pageOf({ headers }: WireRequest): number | undefined {
  const [, said] = /batchSize\s*=\s*(\d+)/i.exec(headers['sforce-query-options'] ?? '') ?? []
  return said === undefined ? undefined : Math.max(200, Math.min(2000, Number(said)))
}
