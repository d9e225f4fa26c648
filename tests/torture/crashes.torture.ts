import { expect, test } from 'vitest'
import { crash, nothingLost } from '../support/crashes.ts'
import { spawnCrm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'

test('nothing that was acknowledged is lost or doubled by 60 crashes of one store', async () => {
  const cwd = await temporaryFolder()
  const known = new Map()
  for (let round = 0; round < 60; round++) {
    await crash(cwd, known)
    await nothingLost(cwd, known)
  }
  expect(known.size).toBeGreaterThan(1_000)
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
