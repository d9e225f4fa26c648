import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openSqlite } from '../../../src/platforms/sqlite/sqlite.ts'
import { crash, nothingLost } from '../../support/crashes.ts'
import { spawnCrm } from '../../support/crm.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startService } from '../../support/service.ts'
import { connectionsTo } from '../../support/watched.ts'

vi.mock('../../../src/platforms/sqlite/connection.ts', async (original) => (await import('../../support/watched.ts')).watching(await original()))

test('a store writes ahead and waits for the disk before it acknowledges', async () => {
  const path = join(await temporaryFolder(), 'crm.db')
  const store = await openSqlite(path)
  onTestFinished(() => store.close())
  const [writing] = connectionsTo(path)
  expect(writing?.connection.get('PRAGMA synchronous', [])).toMatchObject({ synchronous: 2 })
  expect(writing?.connection.get('PRAGMA journal_mode', [])).toMatchObject({ journal_mode: 'wal' })
})

test('whatever was acknowledged is there after a kill -9, once, and the figures are those of a recount', async () => {
  const cwd = await temporaryFolder()
  const known = new Map()
  for (let round = 0; round < 3; round++) {
    await crash(cwd, known)
    await nothingLost(cwd, known)
  }
  const service = await startService(cwd)
  await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  expect(await service.end()).toBe(0)
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

// Limits the size of files for a process that runs, which is a full disk as far as that process can tell.
test.skipIf(process.platform !== 'linux')(
  'a disk that fills up refuses writes as unavailable, answers reads, and loses nothing; with room again all is well',
  async () => {
    const cwd = await temporaryFolder()
    const service = await startService(cwd)
    const limit = (bytes: number | 'unlimited') => execFileSync('prlimit', ['--pid', String(service.child.pid), `--fsize=${bytes}:unlimited`])
    const create = (LastName: string) => service.post('create_a_lead', { FirstName: 'Ada', LastName })
    const acknowledged: string[] = []
    const made = async (LastName: string) => {
      const response = await create(LastName)
      if (response.status === 200) acknowledged.push(((await response.json()) as { LeadID: string }).LeadID)
      return response
    }
    await made('before')
    limit(statSync(join(cwd, 'data/crm.db-wal')).size + 100_000)

    let refused: Response | undefined
    for (let i = 0; i < 100 && !refused; i++)
      refused = (await Promise.all(Array.from({ length: 8 }, () => made('x'.repeat(200))))).find(({ status }) => status !== 200)
    expect(refused?.status).toBe(503)
    expect(await refused?.json()).toMatchObject({ code: 'platform_unavailable', retryable: true })
    expect(await service.call('get_summary_of_leads')).toMatchObject({ Total: acknowledged.length })

    limit('unlimited')
    expect((await made('after')).status).toBe(200)
    const { Records } = (await service.call('get_many_leads', { Limit: 1000 })) as { Records: { LeadID: string }[] }
    expect(Records.map(({ LeadID }) => LeadID).sort()).toEqual([...acknowledged].sort())
    await service.end('SIGKILL')
    await nothingLost(cwd, new Map(acknowledged.map((id) => [id, { revision: 1, deleted: false, open: false }])))
  },
)
