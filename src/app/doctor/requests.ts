import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import pg from 'pg'
import type { Quota } from '../../platforms/platform.ts'
import { readAddress } from '../../platforms/stores/postgres/address.ts'
import { connect, sqliteDriver } from '../../platforms/stores/sqlite/connection.ts'
import type { Finding } from '../../transports/cli/app.ts'
import { countName, lastDays } from '../request-counts.ts'
import { sqlitePath } from '../store-address.ts'
import { findingsIn } from './findings.ts'
import { reading } from './sqlite.ts'

const NAME = 'Requests'
/** From this share of the account's limit on a warning is given. */
const MUCH = 0.8
const shown = (count: number) => count.toLocaleString('en')

/** How many requests a day went to a CRM in the last week, against the account's limit; undefined where there were none. Those of other programs are not counted. */
export async function requestsFinding(area: string, url: string, store: string, quota: Quota | undefined): Promise<Finding | undefined> {
  const { good, doubtful, unchecked } = findingsIn(area)
  const [today = '', ...days] = lastDays(Date.now())
  let counts: ReadonlyMap<string, number>
  try {
    counts = await countsIn(
      store,
      [today, ...days].map((day) => countName(url, day)),
    )
  } catch (error) {
    return unchecked(NAME, `How many were sent in the last week could not be read: ${(error as Error).message}`)
  }
  const sent = [today, ...days].flatMap((day) => counts.get(countName(url, day)) ?? [])
  if (sent.length === 0) return undefined
  const whole = days.flatMap((day) => counts.get(countName(url, day)) ?? [])
  const average = Math.round((whole.length > 0 ? whole : sent).reduce((sum, one) => sum + one, 0) / Math.max(1, whole.length))
  const greatest = Math.max(...sent)
  const says = `about ${shown(average)} a day in the last week, at most ${shown(greatest)}`
  if (!quota) return good(NAME, says)
  const of = `${says}, of ${shown(quota.most)} ${quota.of}`
  return greatest < quota.most * MUCH
    ? good(NAME, of)
    : doubtful(NAME, `${of}.`, 'Have the limit raised, or send fewer: docs/platforms has what each operation costs.')
}

/** Reads counters of a store without changing it. */
async function countsIn(store: string, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const path = sqlitePath(store)
  return new Map(path === undefined ? await inPostgres(store, names) : await inSqlite(path, names))
}

type Counted = readonly [name: string, used: number]

async function inSqlite(path: string, names: readonly string[]): Promise<Counted[]> {
  const file = resolve(path)
  if (path === ':memory:' || !existsSync(file)) return []
  const connection = connect(await sqliteDriver(), reading(file), ['busy_timeout = 2000', 'query_only = ON'])
  try {
    return connection
      .all(`SELECT "Name" AS name, "Used" AS used FROM "Allowance" WHERE "Name" IN (SELECT value FROM json_each(?))`, [JSON.stringify(names)])
      .map(({ name, used }) => [name as string, used as number] as const)
  } finally {
    connection.close()
  }
}

async function inPostgres(url: string, names: readonly string[]): Promise<Counted[]> {
  const { hosts, connectMs, statementMs } = readAddress(url)
  const client = new pg.Client({
    connectionString: hosts[0],
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs,
    application_name: 'crm-connector doctor',
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ name: string; used: number }>('SELECT "Name" AS name, "Used" AS used FROM "Allowance" WHERE "Name" = ANY($1)', [
      names,
    ])
    return rows.map(({ name, used }) => [name, Number(used)] as const)
  } finally {
    await client.end().catch(() => {})
  }
}
