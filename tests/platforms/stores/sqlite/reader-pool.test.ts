import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { seedLeads, seedUsers } from '../../../../bench/seed.ts'
import { LIMITS } from '../../../../src/contract/limits.ts'
import { bootstrap } from '../../../../src/core/access/bootstrap.ts'
import { createService } from '../../../../src/core/service.ts'
import type { Budget } from '../../../../src/platforms/platform.ts'
import { connect, READING, sqliteDriver, TICK } from '../../../../src/platforms/stores/sqlite/connection.ts'
import { createReaderPool, type ReaderPool } from '../../../../src/platforms/stores/sqlite/reader-pool.ts'
import { movingScans } from '../../../../src/platforms/stores/sqlite/scans.ts'
import { openSqlite } from '../../../../src/platforms/stores/sqlite/sqlite.ts'
import { crm } from '../../../support/crm.ts'
import { temporaryFolder } from '../../../support/folder.ts'

/** Never ends by itself. */
const ENDLESS = `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE ${TICK}) SELECT COUNT(*) AS n FROM c`
const COUNT = 'SELECT COUNT(*) AS n FROM "Workspace"'

class TestBudget implements Budget {
  readonly share: string
  readonly controller = new AbortController()

  constructor(share: string) {
    this.share = share
  }

  get isOver() {
    return this.signal.aborted
  }

  get signal() {
    return this.controller.signal
  }

  end(): void {
    this.controller.abort(new Error('It is over.'))
  }
}

async function storeFile(): Promise<string> {
  const path = join(await temporaryFolder(), 'crm.db')
  await (await openSqlite(path)).close()
  return path
}

async function poolForTest(threads = 1) {
  const path = await storeFile()
  const pool = createReaderPool(path, threads) as ReaderPool
  onTestFinished(() => pool.close())
  return { path, pool }
}

describe('a long statement', () => {
  test('runs beside the event loop, ends when its budget is over, and leaves the thread to the next', async () => {
    const { pool } = await poolForTest()
    const budget = new TestBudget('a')
    const endless = pool.run('get', ENDLESS, [], budget)
    const next = pool.run('get', COUNT, [], new TestBudget('a'))
    await new Promise(setImmediate)
    budget.end()
    await expect(endless).rejects.toThrow('It is over.')
    expect((await next).value).toEqual({ n: 0 })
  })

  test('that waits is not begun once its budget is over', async () => {
    const { pool } = await poolForTest()
    const [first, second] = [new TestBudget('a'), new TestBudget('b')]
    const running = pool.run('get', ENDLESS, [], first)
    const waiting = pool.run('get', ENDLESS, [], second)
    second.end()
    await expect(waiting).rejects.toThrow('It is over.')
    first.end()
    await expect(running).rejects.toThrow('It is over.')
    expect((await pool.run('get', COUNT, [], undefined)).value).toEqual({ n: 0 })
  })

  test('of one caller takes turns with those of others', async () => {
    const { pool } = await poolForTest()
    const first = new TestBudget('a')
    const running = pool.run('get', ENDLESS, [], first)
    const order: string[] = []
    const queued = ['a', 'a', 'a', 'b'].map((share) => pool.run('get', COUNT, [], new TestBudget(share)).then(() => order.push(share)))
    first.end()
    await expect(running).rejects.toThrow('It is over.')
    await Promise.all(queued)
    expect(order).toEqual(['a', 'b', 'a', 'a'])
  })

  test('is refused where a caller has too many, and only that caller', async () => {
    const { pool } = await poolForTest()
    const budgets = Array.from({ length: LIMITS.longReads }, () => new TestBudget('a'))
    const running = budgets.map((budget) => pool.run('get', ENDLESS, [], budget))
    await expect(pool.run('get', COUNT, [], new TestBudget('a'))).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('128 long searches'),
    })
    const other = pool.run('get', COUNT, [], new TestBudget('b'))
    for (const budget of budgets) budget.end()
    await Promise.allSettled(running)
    expect((await other).value).toEqual({ n: 0 })
  })

  test('ends when the store is closed', async () => {
    const { pool } = await poolForTest()
    const running = pool.run('get', ENDLESS, [], undefined)
    await new Promise(setImmediate)
    const ended = expect(running).rejects.toMatchObject({ code: 'platform_unavailable' })
    await pool.close()
    await ended
    await expect(pool.run('get', COUNT, [], undefined)).rejects.toMatchObject({ code: 'platform_unavailable' })
  })

  test('whose thread cannot work says so, and what SQLite refuses keeps its error', async () => {
    const nowhere = createReaderPool(join(await temporaryFolder(), 'no/such/folder.db'), 1) as ReaderPool
    await expect(nowhere.run('get', COUNT, [], undefined)).rejects.toMatchObject({ code: 'platform_unavailable' })
    const { pool } = await poolForTest()
    await expect(pool.run('get', 'SELECT * FROM "Nothing"', [], undefined)).rejects.toThrow('no such table: Nothing')
  })
})

describe('a scan', () => {
  async function scansForTest() {
    const { path, pool } = await poolForTest()
    const connection = connect(await sqliteDriver(), path, READING)
    onTestFinished(() => connection.close())
    const moved: string[] = []
    const run: typeof pool.run = (method, sql, ...rest) => {
      moved.push(sql)
      return pool.run(method, sql, ...rest)
    }
    return { moved, scans: movingScans(connection, { ...pool, run }) }
  }

  test('that is short stays where it is', async () => {
    const { scans, moved } = await scansForTest()
    expect(await scans.get(COUNT, [], undefined)).toEqual({ n: 0 })
    expect(await scans.all(COUNT, [], undefined)).toEqual([{ n: 0 }])
    expect(moved).toEqual([])
  })

  test.each(['get', 'all'] as const)('that turns out long moves to a thread: %s', async (method) => {
    const { scans, moved } = await scansForTest()
    const budget = new TestBudget('a')
    const scan = scans[method](ENDLESS, [], budget)
    expect(moved).toEqual([ENDLESS])
    budget.end()
    await expect(scan).rejects.toThrow('It is over.')
  })
})

test('a command waits for a search that has moved to a thread', async () => {
  const folder = await temporaryFolder()
  const store = await openSqlite(join(folder, 'crm.db'))
  await bootstrap(createService({ platform: store, store }))
  const { users } = await seedUsers(store, 1, 1)
  await seedLeads(store, 1, users, 20_000)
  await store.close()
  const { code, out } = await crm(
    ['get_many_leads', '--platform', `sqlite:${folder}/crm.db`, '--Filters', '{"LastName":{"contains":"nobody"}}', '--output', 'json'],
    {
      cwd: folder,
    },
  )
  expect({ code, answer: JSON.parse(out) }).toEqual({ code: 0, answer: { Records: [], NextCursor: null } })
})
