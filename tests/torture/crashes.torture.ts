import { expect, test } from 'vitest'
import { clientsOf } from '../support/clients.ts'
import { crash, expectExactly, expectNoTornWrites } from '../support/crashes.ts'
import { answerOf, crm, spawnCrm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'

test('64 clients lose nothing and double nothing through 60 crashes of one store', async () => {
  const cwd = await temporaryFolder()
  const { Key } = answerOf(await crm(['workspaces', 'add', 'other'], { cwd }))
  const clients = clientsOf(64, String(Key))
  let unheard = 0
  for (let round = 0; round < 60; round++) {
    await crash(cwd, clients)
    unheard += await expectNoTornWrites(cwd, clients)
  }
  await expectExactly(cwd, clients)
  expect(answerOf(await crm(['audit', 'verify'], { cwd }))).toMatchObject({ Workspaces: [{ Verified: true }, { Verified: true }] })
  // Some were killed between the commit and the answer.
  expect(unheard).toBeGreaterThan(0)
})

test('a first start can be killed at any instant', async () => {
  for (let wait = 20; wait < 620; wait += 10) {
    const cwd = await temporaryFolder()
    const child = spawnCrm(['serve', '--port', '0'], { cwd })
    await new Promise((resolve) => setTimeout(resolve, wait))
    child.kill('SIGKILL')
    await new Promise((resolve) => child.on('close', resolve))
    const service = await startService(cwd)
    expect(await service.call('get_current_user')).toMatchObject({ Role: 'admin' })
    await service.end()
  }
})
