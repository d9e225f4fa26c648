import { join } from 'node:path'
import { expect, test } from 'vitest'
import { backupSqlite } from '../../src/platforms/stores/sqlite/backup.ts'
import { temporaryFolder } from '../support/folder.ts'
import { expectSound } from '../support/sound.ts'
import { startSqliteService } from '../support/sqlite-service.ts'
import { expectForgotten, fillWithSecrets, secretWords, tracesIn } from '../support/traces.ts'

test('of thousands of erased words hardly any is left in the file, and none in a copy that SQLite makes', async () => {
  const here = await startSqliteService()
  const secret = secretWords()
  let count = 0
  const call = async (operation: string, input: object) => (await here.call(operation, input, `key-${++count}`)).result
  const targets = await fillWithSecrets(call, secret, 4000)
  for (const target of targets) await call('erase_record', target)
  await expectSound(here.path)
  expect(secret.made.length).toBeGreaterThan(5000)
  expectForgotten(here.path, secret.made)
  const copy = join(await temporaryFolder(), 'copy.db')
  await backupSqlite(here.path, copy)
  expect(tracesIn(copy, secret.made)).toEqual([])
})
