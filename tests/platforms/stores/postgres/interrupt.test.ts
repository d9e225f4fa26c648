import { expect, onTestFinished, test } from 'vitest'
import { readAddress } from '../../../../src/platforms/stores/postgres/address.ts'
import { createHosts, createPool } from '../../../../src/platforms/stores/postgres/pool.ts'
import { temporaryDatabase } from '../../../support/postgres.ts'

test('a statement ends when its signal aborts, and its connection goes on', async () => {
  const { url, drop } = await temporaryDatabase()
  const address = readAddress(url)
  const pool = createPool(address, createHosts(address), 2)
  onTestFinished(async () => {
    await pool.close()
    await drop()
  })
  const controller = new AbortController()
  const endless = pool.read('SELECT pg_sleep(100000)', [], controller.signal)
  const running = async () =>
    Number(
      (
        await pool.read(`SELECT COUNT(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep%' AND datname = current_database()`, [])
      )[0]?.[0],
    )
  await expect.poll(running).toBe(1)
  controller.abort()
  await expect(endless).rejects.toMatchObject({ code: '57014' })
  await expect.poll(running).toBe(0)
  expect(await Promise.all([1, 2].map(() => pool.read('SELECT 1', [])))).toEqual([[[1]], [[1]]])
})
