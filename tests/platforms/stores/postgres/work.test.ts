import { expect, onTestFinished, test } from 'vitest'
import { readAddress } from '../../../../src/platforms/stores/postgres/address.ts'
import { createHosts, createPool, type Pool } from '../../../../src/platforms/stores/postgres/pool.ts'
import { Work } from '../../../../src/platforms/stores/postgres/work.ts'
import { temporaryDatabase } from '../../../support/postgres.ts'
import { ask } from '../../../support/postgres-database.ts'

/** A pool with one connection, so that whoever comes next gets the same. */
async function narrowPool(): Promise<{ pool: Pool; url: string }> {
  const { url, drop } = await temporaryDatabase()
  const address = readAddress(url)
  const pool = createPool(address, createHosts(address), 1)
  onTestFinished(async () => {
    await pool.close()
    await drop()
  })
  await ask(url, 'CREATE TABLE t (n integer PRIMARY KEY)')
  return { pool, url }
}

const insert = (n: number) => ['INSERT INTO t VALUES (?)', [n]] as const
const rows = async (url: string) => (await ask(url, 'SELECT n FROM t ORDER BY n')).map(({ n }) => n)

test('a commit that was refused leaves the connection to the next, whatever is done about it afterwards', async () => {
  const { pool, url } = await narrowPool()
  const refused = new Work(pool)
  refused.run(...insert(1))
  refused.run(...insert(1))
  await expect(refused.commit()).rejects.toMatchObject({ code: '23505' })

  const next = new Work(pool)
  await next.now(...insert(2))
  // It must not roll back what is not its own.
  await refused.rollback()
  await next.now(...insert(3))
  await next.rollback()
  expect(await rows(url)).toEqual([])
})

test('a connection that is lost in the middle is not asked to roll back, and the next gets another', async () => {
  const { pool, url } = await narrowPool()
  const lost = new Work(pool)
  await lost.now(...insert(1))
  await ask(url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'crm-connector' AND datname = current_database()`)
  await expect(lost.now(...insert(2))).rejects.toThrow()
  await lost.rollback()
  const next = new Work(pool)
  next.run(...insert(3))
  await next.commit()
  expect(await rows(url)).toEqual([3])
})

test('a server that turns out to take no writes is left: no connection to it is used again', async () => {
  const { pool, url } = await narrowPool()
  const work = new Work(pool)
  const [before] = await work.ask('SELECT pg_backend_pid()', [])
  await work.now('SET LOCAL transaction_read_only = on', [])
  await expect(work.now(...insert(1))).rejects.toMatchObject({ code: '25006' })
  await work.rollback()
  expect(await pool.read('SELECT pg_backend_pid()', [])).not.toEqual([before])
  expect(await rows(url)).toEqual([])
})
