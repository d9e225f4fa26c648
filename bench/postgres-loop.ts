/** The baseline: sends the statements of a call in a loop, and does nothing else. */
import { readFileSync } from 'node:fs'
import { readAddress } from '../src/platforms/stores/postgres/address.ts'
import { createHosts, createPool } from '../src/platforms/stores/postgres/pool.ts'
import { createClock } from '../src/platforms/stores/sql/ids.ts'
import type { Recorded } from './postgres.ts'

const [url = '', file = '', atOnce = '', seconds = ''] = process.argv.slice(2)
const { statements, ids } = JSON.parse(readFileSync(file, 'utf8')) as { statements: (Omit<Recorded, 'values'> & { values: string[] })[]; ids: string[] }
const address = readAddress(url)
const pool = createPool(address, createHosts(address), address.pool)
const clock = createClock()
const sent = statements.map(({ text, values }) => ({ sql: text.replaceAll(/\$\d+/g, '?'), values }))
const until = performance.now() + Number(seconds) * 1000
let calls = 0

async function loop(): Promise<void> {
  while (performance.now() < until) {
    const fresh = new Map(ids.map((id) => [id, clock.newId().id]))
    const session = await pool.session()
    await Promise.all(
      sent.map(({ sql, values }) =>
        session.query(
          sql,
          values.map((value) => fresh.get(value) ?? value),
        ),
      ),
    )
    session.release()
    calls++
  }
}

await Promise.all(Array.from({ length: Number(atOnce) }, loop))
process.stdout.write(`Listening on ${calls / Number(seconds)}\n`)
await pool.close()
