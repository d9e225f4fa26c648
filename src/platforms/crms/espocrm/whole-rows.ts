import type { Row } from './api.ts'

/** So many are remembered, for so long: as polls look back. */
const MOST = 1_000
const KNOWN_MS = 10 * 60_000

/** Dates are in seconds: a record that was changed this lately may be changed again under the same one. */
const SETTLED_MS = 2_000

interface Known {
  readonly listed: string
  readonly whole: Row
  readonly until: number
}

/** Rows of lists in full, whose texts the lists cut off. One that a list shows as it was is not read again. */
export class WholeRows {
  private readonly known = new Map<string, Known>()

  /** A row in full. `now` is the time by EspoCRM's clock. */
  async of(row: Row, now: number, read: () => Promise<Row>): Promise<Row> {
    const id = String(row.id)
    const listed = JSON.stringify(row)
    const before = this.known.get(id)
    if (before?.listed === listed && before.until > now) return before.whole
    const whole = await read()
    this.known.delete(id)
    const changed = Date.parse(`${String(row.modifiedAt).replace(' ', 'T')}Z`)
    if (changed + SETTLED_MS < now) this.known.set(id, { listed, whole, until: now + KNOWN_MS })
    const [oldest] = this.known.keys()
    if (this.known.size > MOST && oldest !== undefined) this.known.delete(oldest)
    return whole
  }
}
