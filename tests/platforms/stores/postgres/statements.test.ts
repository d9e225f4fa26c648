import { expect, onTestFinished, test } from 'vitest'
import { readAddress } from '../../../../src/platforms/stores/postgres/address.ts'
import { createHosts, createPool } from '../../../../src/platforms/stores/postgres/pool.ts'
import { PREPARED } from '../../../../src/platforms/stores/postgres/statements.ts'
import { temporaryDatabase } from '../../../support/postgres.ts'

test('a statement that is used often is prepared, however many others were before it, and the server keeps only so many', async () => {
  const { url, drop } = await temporaryDatabase()
  onTestFinished(drop)
  const address = readAddress(url)
  const pool = createPool(address, createHosts(address), 1)
  onTestFinished(() => pool.close())
  const often = async (sql: string) => {
    for (let use = 0; use < 3; use++) expect((await pool.query(sql, [1])).rows).toEqual([[1]])
  }
  const hot = 'SELECT CAST(? AS INTEGER) AS hot'
  for (let shape = 0; shape < PREPARED + 50; shape++) {
    await often(`SELECT CAST(? AS INTEGER) AS shape_${shape}`)
    await pool.query(hot, [1])
  }
  await often('SELECT CAST(? AS INTEGER) AS late')
  const prepared = (await pool.query('SELECT statement FROM pg_prepared_statements')).rows.map(([statement]) => String(statement))
  expect(prepared.filter((statement) => /AS (hot|late)$/.test(statement))).toHaveLength(2)
  expect(prepared.length).toBeLessThanOrEqual(PREPARED + 1)
  // One that was deallocated is prepared again.
  await often('SELECT CAST(? AS INTEGER) AS shape_0')
})
