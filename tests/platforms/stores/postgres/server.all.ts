import { existsSync } from 'node:fs'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryDatabase } from '../../../support/postgres.ts'
import { ask } from '../../../support/postgres-database.ts'
import { type PostgresOptions, startPostgres } from '../../../support/postgres-server.ts'

async function serverForTest(options?: PostgresOptions) {
  const server = await startPostgres(options)
  onTestFinished(() => server.remove())
  return server
}

test('a database is empty, of its own, and gone after its use even while somebody is connected', async () => {
  const databases = await Promise.all([temporaryDatabase(), temporaryDatabase(), temporaryDatabase()])
  for (const { url } of databases) await ask(url, 'CREATE TABLE t (n integer)')

  const [first, second] = databases
  const client = new pg.Client(first?.url)
  await client.connect()
  const lost = new Promise((resolve) => client.on('error', resolve))
  for (const { drop } of databases) await drop()
  await lost
  await expect(ask(second?.url ?? '', 'SELECT 1')).rejects.toThrow('does not exist')
})

test('a server has the settings it was given and wants a password', async () => {
  const server = await serverForTest({ settings: { max_connections: 20, application_name: "it's" } })
  expect(await ask(server.url, 'SHOW max_connections')).toEqual([{ max_connections: '20' }])
  expect(await ask(server.url, 'SHOW fsync')).toEqual([{ fsync: 'on' }])
  const wrong = new URL(server.url)
  wrong.password = 'wrong'
  await expect(ask(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed')

  await server.remove()
  expect(existsSync(server.folder)).toBe(false)
})

test('what was committed is there after every kind of stop', async () => {
  const server = await serverForTest()
  const url = await server.database('a "name"')
  await ask(url, 'CREATE TABLE t (mode text)')
  for (const mode of ['fast', 'immediate', 'kill'] as const) {
    await ask(url, `INSERT INTO t VALUES ('${mode}')`)
    const busy = ask(url, 'SELECT pg_sleep(60)').catch((error: Error) => error)
    await server.stop(mode)
    expect(await busy).toBeInstanceOf(Error)
    await expect(ask(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED')
    await server.start()
  }
  expect(await ask(url, 'SELECT mode FROM t')).toEqual([{ mode: 'fast' }, { mode: 'immediate' }, { mode: 'kill' }])
})

test('a standby follows, refuses to be written to, and stands alone once promoted', async () => {
  const server = await serverForTest()
  await ask(server.url, 'CREATE TABLE t AS SELECT 1 AS n')
  const standby = await server.standby()
  onTestFinished(() => standby.remove())
  await ask(server.url, 'INSERT INTO t VALUES (2)')
  await expect.poll(() => ask(standby.url, 'SELECT n FROM t ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }])
  await expect(ask(standby.url, 'INSERT INTO t VALUES (3)')).rejects.toThrow('read-only')

  await server.stop('kill')
  await standby.promote()
  await ask(standby.url, 'INSERT INTO t VALUES (3)')
  expect(await ask(standby.url, 'SELECT n FROM t ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
})
