import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Lead } from '../../../../src/contract/records/lead.ts'
import { newRecord } from '../../../../src/core/call/records.ts'
import type { StoredRecord, Writer } from '../../../../src/platforms/platform.ts'
import type { Store } from '../../../../src/platforms/store.ts'
import { openSqlite } from '../../../../src/platforms/stores/sqlite/sqlite.ts'
import { ask, commitsIn, openDatabase } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { connectionsTo, type RecordedConnection } from '../../../support/recorded-connections.ts'
import { recountIn, rollupsIn } from '../../../support/rollups.ts'

vi.mock('../../../../src/platforms/stores/sqlite/connection.ts', async (original) =>
  (await import('../../../support/recorded-connections.ts')).recordStatements(await original()),
)
afterEach(() => void vi.useRealTimers())

const lead = (writer: Writer, FirstName: string): StoredRecord => newRecord(Lead, writer.newId(), { FirstName, LastName: 'Lovelace', OwnerID: 'ada' })

/** Work that stores a lead and answers with its id. */
const creating = (name: string) => async (writer: Writer) => {
  const record = lead(writer, name)
  await writer.create(Lead.name, record)
  return record.LeadID as string
}

/** Work that stores a lead twice under one id, which no store accepts. */
const doubling = (name: string) => async (writer: Writer) => {
  const record = lead(writer, name)
  await writer.create(Lead.name, record)
  await writer.create(Lead.name, record)
}

const refusing = async (writer: Writer) => {
  if (!(await writer.get(Lead.name, 'nobody'))) throw new Error('refused')
}

interface Opened {
  readonly path: string
  readonly store: Store
  readonly writing: RecordedConnection
}

async function opened(): Promise<Opened> {
  const path = join(await temporaryFolder(), 'crm.db')
  const store = await openSqlite(path)
  onTestFinished(() => store.close())
  const [writing] = connectionsTo(path)
  if (!writing) throw new Error('The store has opened nothing.')
  return { path, store, writing }
}

/** The first names of the leads stored, once the counters agree with them. */
async function namesIn(path: string): Promise<unknown[]> {
  const database = await openDatabase(path)
  expect(rollupsIn(database)).toEqual(recountIn(database))
  const rows = database.all('SELECT "FirstName" FROM "Lead" ORDER BY "LeadID"', [])
  database.close()
  return rows.map(({ FirstName }) => FirstName)
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `lead ${i}`)
const statuses = (settled: readonly PromiseSettledResult<unknown>[]) => settled.map(({ status }) => status)

describe('writes that arrive together', () => {
  test('share one transaction', async () => {
    const { path, store } = await opened()
    const before = commitsIn(path)
    await Promise.all(names(100).map((name) => store.write(1, creating(name))))
    expect(commitsIn(path) - before).toBe(1)
    expect(await namesIn(path)).toHaveLength(100)
  })

  test('join the transaction that is under way', async () => {
    const { path, store } = await opened()
    const before = commitsIn(path)
    const rest: Promise<unknown>[] = []
    await store.write(1, async (writer) => {
      for (const name of names(20)) rest.push(store.write(1, creating(name)))
      await creating('first')(writer)
    })
    await Promise.all(rest)
    expect(commitsIn(path) - before).toBe(1)
    expect(await namesIn(path)).toHaveLength(21)
  })

  test('make no transaction of their own when none of them writes anything', async () => {
    const { path, store } = await opened()
    const before = commitsIn(path)
    expect(statuses(await Promise.allSettled([store.write(1, refusing), store.write(1, (writer) => writer.get(Lead.name, 'nobody'))]))).toEqual([
      'rejected',
      'fulfilled',
    ])
    expect(commitsIn(path)).toBe(before)
  })

  test('see what those before them in the transaction did', async () => {
    const { store } = await opened()
    const record = { id: '' }
    const made = store.write(1, async (writer) => {
      record.id = await creating('Ada')(writer)
    })
    const changed = store.write(1, (writer) => writer.update(Lead.name, record.id, { FirstName: 'Augusta' }))
    await made
    expect(await changed).toMatchObject({ FirstName: 'Augusta' })
    expect((await store.reader(1).get(Lead.name, record.id))?.FirstName).toBe('Augusta')
  })
})

describe('in a transaction that is shared', () => {
  test('a refusal concerns nobody else', async () => {
    const { path, store } = await opened()
    const before = commitsIn(path)
    const settled = await Promise.allSettled([store.write(1, creating('first')), store.write(1, refusing), store.write(1, creating('last'))])
    expect(statuses(settled)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await namesIn(path)).toEqual(['first', 'last'])
    expect(commitsIn(path) - before).toBe(1)
  })

  test('a write that fails after it touched something harms nobody else and leaves no trace', async () => {
    const { path, store } = await opened()
    const settled = await Promise.allSettled([
      store.write(1, creating('first')),
      store.write(1, doubling('twice')),
      store.write(1, refusing),
      store.write(1, creating('last')),
    ])
    expect(statuses(settled)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(await namesIn(path)).toEqual(['first', 'last'])
    expect(settled.map((one) => (one.status === 'rejected' ? String(one.reason) : one.status))).toEqual([
      'fulfilled',
      expect.stringContaining('UNIQUE constraint failed'),
      'Error: refused',
      'fulfilled',
    ])
  })

  test('work that is carried out twice leaves one record, and answers with the one that is there', async () => {
    const { path, store } = await opened()
    let runs = 0
    const counted = store.write(1, (writer) => {
      runs++
      return creating('counted')(writer)
    })
    const spoiled = store.write(1, doubling('twice'))
    await expect(spoiled).rejects.toThrow('UNIQUE')
    expect((await store.reader(1).get(Lead.name, await counted))?.FirstName).toBe('counted')
    expect(runs).toBe(2)
    expect(await namesIn(path)).toEqual(['counted'])
  })

  test('writes of several workspaces keep to their own', async () => {
    const { path, store } = await opened()
    const [other] = await Promise.all([store.addWorkspace('other'), store.write(1, creating('one')), store.write(2, creating('two'))])
    expect(other?.name).toBe('other')
    expect(await ask(path, 'SELECT "Workspace", "FirstName" FROM "Lead" ORDER BY 1')).toEqual([
      { Workspace: 1, FirstName: 'one' },
      { Workspace: 2, FirstName: 'two' },
    ])
    expect(await namesIn(path)).toHaveLength(2)
  })
})

describe('a work', () => {
  test('that passes over a fault is refused with it, and leaves no trace', async () => {
    const { path, store } = await opened()
    const careless = store.write(1, async (writer) => {
      await doubling('twice')(writer).catch(() => {})
      return 'done'
    })
    await expect(careless).rejects.toThrow('UNIQUE')
    expect(await namesIn(path)).toEqual([])
  })

  test('that does not wait for what it does writes nothing after its end', async () => {
    const { path, store } = await opened()
    let late: Promise<unknown> | undefined
    await store.write(1, async (writer) => {
      late = new Promise((resolve) => setTimeout(resolve, 20)).then(() => creating('late')(writer))
      await creating('in time')(writer)
    })
    await expect(late).rejects.toThrow('This write has ended')
    expect(await namesIn(path)).toEqual(['in time'])
  })
})

describe('a commit that fails', () => {
  test('gives each write an outcome of its own, and doubles nothing', async () => {
    const { path, store, writing } = await opened()
    let commits = 0
    writing.before = (sql) => {
      if (sql === 'COMMIT' && ++commits === 1) throw new Error('the disk is in a mood')
    }
    const settled = await Promise.allSettled([...names(5).map((name) => store.write(1, creating(name))), store.write(1, refusing)])
    expect(statuses(settled)).toEqual([...names(5).map(() => 'fulfilled'), 'rejected'])
    expect(await namesIn(path)).toEqual(names(5))
    expect(commits).toBe(6)
  })

  test('again for one write refuses that one alone', async () => {
    const { path, store, writing } = await opened()
    let commits = 0
    writing.before = (sql) => {
      if (sql === 'COMMIT' && ++commits !== 3) throw new Error('the disk is in a mood')
    }
    const settled = await Promise.allSettled(names(3).map((name) => store.write(1, creating(name))))
    expect(statuses(settled)).toEqual(['rejected', 'fulfilled', 'rejected'])
    expect(await namesIn(path)).toEqual(['lead 1'])
  })

  test('for a write on its own is told to its caller, and the next write goes through', async () => {
    const { path, store, writing } = await opened()
    writing.before = (sql) => {
      if (sql === 'COMMIT') throw new Error('the disk is in a mood')
    }
    await expect(store.write(1, creating('lost'))).rejects.toThrow('in a mood')
    writing.before = () => {}
    await store.write(1, creating('kept'))
    expect(await namesIn(path)).toEqual(['kept'])
  })
})

test('a full store refuses what does not fit, as unavailable, and takes what does', async () => {
  const { path, store, writing } = await opened()
  const pages = Number(writing.connection.get('PRAGMA page_count', [])?.page_count)
  writing.connection.exec(`PRAGMA max_page_count = ${pages + 8}`)
  const large = (writer: Writer) => Promise.all(names(200).map((name) => creating(name.repeat(20))(writer))).then((ids) => ids.length)
  const settled = await Promise.allSettled([store.write(1, creating('first')), store.write(1, large), store.write(1, creating('last'))])
  expect(statuses(settled)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await namesIn(path)).toEqual(['first', 'last'])
  const [, refused] = settled
  expect(store.classify(refused?.status === 'rejected' && refused.reason)).toEqual({
    code: 'platform_unavailable',
    message: 'The disk under the store is full.',
  })
})

test('reads never see what is not committed', async () => {
  const { store } = await opened()
  const reader = store.reader(1)
  const everything = { where: [], order: { field: 'CreatedDate', descending: true }, limit: 10 }
  const seen = async () => [
    (await reader.find(Lead.name, everything)).records.length,
    (await reader.tally(Lead.name, { where: [], today: '', soon: '' })).states.length,
  ]
  let during: number[] = []
  let within = 0
  await store.write(1, async (writer) => {
    await creating('Ada')(writer)
    during = await seen()
    within = (await writer.find(Lead.name, everything)).records.length
  })
  expect(during).toEqual([0, 0])
  expect(within).toBe(1)
  expect(await seen()).toEqual([1, 1])
})

describe('while another process writes', () => {
  test('a write waits its turn without holding up reads', async () => {
    const { path, store } = await opened()
    const other = await openDatabase(path)
    other.exec('BEGIN IMMEDIATE')
    let done = false
    const write = store.write(1, creating('patient')).then(() => {
      done = true
    })
    for (let i = 0; i < 20; i++) {
      expect((await store.workspaces()).length).toBe(0)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(done).toBe(false)
    other.exec('COMMIT')
    other.close()
    await write
    expect(await namesIn(path)).toEqual(['patient'])
  })

  test('for longer than anyone can wait, all that waits is refused at once, as unavailable', async () => {
    const { path, store } = await opened()
    const other = await openDatabase(path)
    other.exec('BEGIN IMMEDIATE')
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] })
    const writes = Promise.allSettled(names(5).map((name) => store.write(1, creating(name))))
    while (vi.getTimerCount() === 0) await new Promise(setImmediate)
    await vi.advanceTimersByTimeAsync(5_100)
    vi.useRealTimers()
    const settled = await writes
    expect(statuses(settled)).toEqual(names(5).map(() => 'rejected'))
    for (const one of settled) expect(store.classify(one.status === 'rejected' && one.reason)?.code).toBe('platform_unavailable')
    other.exec('COMMIT')
    other.close()
    await store.write(1, creating('afterwards'))
    expect(await namesIn(path)).toEqual(['afterwards'])
  })
})
