import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClock } from '../../../src/platforms/sql/ids.ts'
import { createCommits } from '../../../src/platforms/sqlite/commits.ts'
import { createLog, type Log, SyncFailure } from '../../../src/platforms/sqlite/log.ts'
import { migrate } from '../../../src/platforms/sqlite/migrations.ts'
import { createReader } from '../../../src/platforms/sqlite/reader.ts'
import { openDatabase } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'

const CAMPAIGN = {
  CampaignName: 'Fair',
  Status: null,
  OwnerID: 'u',
  CreatedDate: '2026-01-01T00:00:00.000Z',
  UpdatedDate: '2026-01-01T00:00:00.000Z',
  Revision: 1,
}

/** Commits over a real store whose disk does as it is told. */
async function commitsWith(log: Partial<Log>) {
  const connection = await openDatabase(join(await temporaryFolder(), 'crm.db'))
  connection.exec('PRAGMA journal_mode = WAL')
  migrate(connection)
  const silent = { beforeCommit() {}, afterCommit() {} }
  const commits = createCommits(
    connection,
    (workspace) => createReader(connection, workspace),
    createClock(),
    { ready: async () => {}, sync: async () => {}, close: async () => {}, ...log },
    silent,
  )
  let made = 0
  return {
    connection,
    create: () => commits.write(1, (writer) => writer.create('Campaign', { CampaignID: `c${++made}`, ...CAMPAIGN })),
    look: () => commits.write(1, (writer) => writer.get('Campaign', 'c1')),
    settled: commits.settled,
  }
}

const turns = async (count = 5) => {
  for (let i = 0; i < count; i++) await new Promise(setImmediate)
}

describe('a write', () => {
  test('is answered only when the disk has it; what arrives meanwhile is committed after that', async () => {
    const syncs: (() => void)[] = []
    const { create, look, connection, settled } = await commitsWith({ sync: () => new Promise((resolve) => syncs.push(resolve)) })
    const answered: string[] = []
    const first = create().then(() => answered.push('first'))
    await turns()
    expect([syncs.length, answered.length]).toEqual([1, 0])

    const second = create().then(() => answered.push('second'))
    const third = look().then(() => answered.push('third'))
    await turns()
    expect(syncs).toHaveLength(1)
    syncs[0]?.()
    await first
    await turns()
    expect([syncs.length, answered]).toEqual([2, ['first']])
    syncs[1]?.()
    await Promise.all([second, third])
    await settled()
    expect(answered).toEqual(['first', 'second', 'third'])
    expect(connection.get('SELECT COUNT(*) AS n FROM "Campaign"', [])).toMatchObject({ n: 2 })
  })

  test('that only looks waits for what it may have seen, and for no disk of its own', async () => {
    let syncs = 0
    const { look } = await commitsWith({ sync: async () => void syncs++ })
    await look()
    expect(syncs).toBe(0)
  })

  test('whose sync fails is never called done, and no later one is until the log can be trusted', async () => {
    let healthy = false
    const { create } = await commitsWith({
      async ready() {
        if (!healthy) throw new SyncFailure(false)
      },
    })
    await expect(create()).rejects.toMatchObject({ committed: false })
    healthy = true
    await create()

    const broken = await commitsWith({ sync: async () => Promise.reject(new SyncFailure(true)) })
    await expect(broken.create()).rejects.toMatchObject({ committed: true })
  })
})

test('the log that is synced is the one that is there, also when it was made anew', async () => {
  const path = join(await temporaryFolder(), 'crm.db')
  const log = createLog(path, await openDatabase(path))
  onTestFinished(() => log.close())
  writeFileSync(`${path}-wal`, 'first')
  await log.sync()
  rmSync(`${path}-wal`)
  await expect(log.sync()).rejects.toBeInstanceOf(SyncFailure)
  writeFileSync(`${path}-wal`, 'second')
  await log.sync()
})
