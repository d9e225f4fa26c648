import { expect, test } from 'vitest'
import { clientsOf } from '../support/clients.ts'
import { crash, expectExactly, expectNoTornWrites } from '../support/crashes.ts'
import { answerOf, crm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'

test('64 clients lose nothing and double nothing when the service is killed under them, again and again', async () => {
  const cwd = await temporaryFolder()
  const { Key } = answerOf(await crm(['workspaces', 'add', 'other'], { cwd }))
  const clients = clientsOf(64, String(Key))
  for (let round = 0; round < 3; round++) {
    await crash(cwd, clients)
    await expectNoTornWrites(cwd, clients)
  }
  await expectExactly(cwd, clients)
  // Answers were lost on the way, and the calls sent again.
  expect(clients.reduce((sum, { replayed }) => sum + replayed, 0)).toBeGreaterThan(0)
  expect(answerOf(await crm(['audit', 'verify'], { cwd }))).toMatchObject({ Workspaces: [{ Verified: true }, { Verified: true }] })
})
