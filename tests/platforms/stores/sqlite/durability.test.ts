import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openSqlite } from '../../../../src/platforms/stores/sqlite/sqlite.ts'
import { spawnCrm } from '../../../support/crm.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { connectionsTo } from '../../../support/recorded-connections.ts'
import { startService } from '../../../support/service.ts'

vi.mock('../../../../src/platforms/stores/sqlite/connection.ts', async (original) =>
  (await import('../../../support/recorded-connections.ts')).recordStatements(await original()),
)

test('a store writes ahead and waits for the disk before it acknowledges', async () => {
  const path = join(await temporaryFolder(), 'crm.db')
  const store = await openSqlite(path)
  onTestFinished(() => store.close())
  const [writing] = connectionsTo(path)
  expect(writing?.connection.get('PRAGMA synchronous', [])).toMatchObject({ synchronous: 2 })
  expect(writing?.connection.get('PRAGMA journal_mode', [])).toMatchObject({ journal_mode: 'wal' })
})

test('a first start that is killed half-way is simply started again', async () => {
  for (let round = 0; round < 4; round++) {
    const cwd = await temporaryFolder()
    const child = spawnCrm(['serve', '--port', '0'], { cwd })
    await new Promise((resolve) => setTimeout(resolve, 150 + round * 60))
    child.kill('SIGKILL')
    await new Promise((resolve) => child.on('close', resolve))
    const service = await startService(cwd)
    expect(await service.call('get_current_user')).toMatchObject({ Role: 'admin' })
    await service.end()
  }
})
