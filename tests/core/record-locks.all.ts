import { expect, test } from 'vitest'
import { lockRecord } from '../../src/core/call/record-locks.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { temporaryFolder } from '../support/folder.ts'

const BUDGET = { share: 'key', isOver: false, signal: new AbortController().signal }

test('a record that a killed process has locked can be written again after a while', async ({ onTestFinished }) => {
  const file = `${await temporaryFolder()}/crm.db`
  const [killed, other] = [await openSqlite(file), await openSqlite(file)]
  onTestFinished(() => other.close())
  await lockRecord(killed, 1, 'Lead 5', BUDGET)
  // Renews nothing from now on.
  await killed.close()
  await expect(lockRecord(other, 1, 'Lead 5', { ...BUDGET, isOver: true })).rejects.toMatchObject({ code: 'platform_unavailable' })
  const release = await lockRecord(other, 1, 'Lead 5', BUDGET)
  release()
})
