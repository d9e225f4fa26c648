import { expect, test, vi } from 'vitest'
import { storeIn } from '../../../support/crashes.ts'
import { openDatabase } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { startService } from '../../../support/service.ts'
import { expectSound } from '../../../support/sound.ts'
import { startSqliteService } from '../../../support/sqlite-service.ts'
import { type Call, expectForgotten, fillWithSecrets, secretWords, tracesIn } from '../../../support/traces.ts'

test('what was erased is overwritten in the file and gone from its log, while the service runs and afterwards', async () => {
  const cwd = await temporaryFolder()
  const service = await startService(cwd)
  const secret = secretWords()
  const targets = await fillWithSecrets(service.call, secret, 80)
  const path = storeIn(cwd)
  expect(new Set([...tracesIn(path, secret.made), ...tracesIn(`${path}-wal`, secret.made)])).toEqual(new Set(secret.made))
  for (const target of targets) expect(await service.call('erase_record', target)).toMatchObject({ Erased: true })
  expectForgotten(path, secret.made)
  await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  expectForgotten(path, secret.made)
  expect(await service.end()).toBe(0)
  expectForgotten(path, secret.made)
  await expectSound(path)
})

test('so are the answers that are kept for its idempotency keys, while those of others stay', async () => {
  const here = await startSqliteService()
  const secret = secretWords()
  let count = 0
  const call: Call = async (operation, input) => (await here.call(operation, input, `key-${++count}`)).result
  const [hers, theirs] = [
    { FirstName: secret(), LastName: secret() },
    { FirstName: 'Ada', LastName: 'Lovelace' },
  ]
  const [lead, other] = [await here.call('create_a_lead', hers, 'hers'), await here.call('create_a_lead', theirs, 'theirs')]
  const targets = [...(await fillWithSecrets(call, secret, 400)), { RecordType: 'Lead', RecordID: String(lead.result.LeadID) }]
  for (const target of targets) await call('erase_record', target)
  expectForgotten(here.path, secret.made)
  expect(await here.call('create_a_lead', theirs, 'theirs')).toEqual({ ...other, replayed: true })
  await expect(here.call('create_a_lead', hers, 'hers')).rejects.toMatchObject({ code: 'not_found' })
})

test('whoever reads in that moment holds up the emptying of the log, which is made up for soon after, whether anybody writes or not', async () => {
  const here = await startSqliteService()
  const secret = secretWords()
  const { result } = await here.call('create_a_lead', { FirstName: secret(), LastName: secret() })
  const other = await openDatabase(here.path)
  other.exec('BEGIN; SELECT COUNT(*) FROM "Lead"')
  await here.call('erase_record', { RecordType: 'Lead', RecordID: result.LeadID })
  expect(tracesIn(`${here.path}-wal`, secret.made)).not.toEqual([])
  other.exec('COMMIT')
  other.close()
  await vi.waitFor(() => expect(tracesIn(`${here.path}-wal`, secret.made)).toEqual([]), { timeout: 60_000, interval: 100 })
  expectForgotten(here.path, secret.made)
})
