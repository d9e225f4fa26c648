import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { recordType } from '../../../src/contract/operations.ts'
import { newRecord } from '../../../src/core/call/records.ts'
import type { Order, StoredRecord, Where } from '../../../src/platforms/platform.ts'
import type { Store, StoreWriter } from '../../../src/platforms/store.ts'
import { FIRST_MIRROR, mirrorOf } from '../../../src/platforms/stores/mirror.ts'
import { AUDIT_LINE } from '../../support/audit-line.ts'
import { FAST } from '../../support/lane.ts'
import { SHARED_STORES } from '../../support/shared-stores.ts'

const TALLIED = { where: [], today: '2026-11-17', soon: '2026-12-17' }
const EVERYTHING: { readonly where: readonly Where[]; readonly order: Order; readonly limit: number } = {
  where: [],
  order: { field: 'CreatedDate', descending: false },
  limit: 1000,
}

const dayOf = (i: number) => new Date(Date.UTC(2026, 0, 1 + i)).toISOString()

/** A record as a CRM has it, with its id. */
const recordOf = (type: string, id: string, at: string, given: object) =>
  newRecord(recordType(type) as Parameters<typeof newRecord>[0], { id, at }, { OwnerID: 'grace', ...given }) as StoredRecord

const leadOf = (id: string, at: string, given: object = {}) =>
  recordOf('Lead', id, at, { FirstName: 'Ada', LastName: `Number ${id}`, Status: 'Open', ...given })

const idsIn = (type: string, records: readonly StoredRecord[]) => records.map((record) => record[recordType(type).id])

/** The counts of cells by what they have in common. */
function countsBy<C extends { readonly count: number }>(cells: readonly C[], by: (cell: C) => string): { [name: string]: number } {
  const counts: { [name: string]: number } = {}
  for (const cell of cells) counts[by(cell)] = (counts[by(cell)] ?? 0) + cell.count
  return counts
}

/** A permutation of the first numbers: in the order of these, none is near its neighbours. */
const scattered = (count: number) => Array.from({ length: count }, (_, i) => (i * 37) % count)

async function inBoth(writer: StoreWriter): Promise<void> {
  await writer.create('Lead', leadOf('own', dayOf(1)))
  await writer.inMirror().create('Lead', leadOf('00Q1', dayOf(2), { Company: 'Engines' }))
  await writer.inMirror().create('Lead', leadOf('00Q2', dayOf(3), { Status: 'Closed' }))
}

describe.each(Object.entries(SHARED_STORES).filter(([name]) => !FAST || name === 'sqlite'))('%s', (_, opened) => {
  async function newStore() {
    const { open: reopen } = await opened()
    const open = async () => {
      const store = await reopen()
      onTestFinished(() => store.close())
      return store
    }
    const store = await open()
    const { number } = (await store.addWorkspace('default')) as { number: number }
    return { store, number, open }
  }

  test('rows in a mirror are read like any other, and the workspace does not see them', async () => {
    const { store, number } = await newStore()
    await store.write(number, inBoth)
    const [own, mirror] = [number, mirrorOf(number)].map((of) => store.reader(of)) as [ReturnType<Store['reader']>, ReturnType<Store['reader']>]

    expect(idsIn('Lead', (await mirror.find('Lead', EVERYTHING)).records)).toEqual(['00Q1', '00Q2'])
    expect(idsIn('Lead', (await own.find('Lead', EVERYTHING)).records)).toEqual(['own'])
    expect(await mirror.get('Lead', '00Q1')).toEqual(leadOf('00Q1', dayOf(2), { Company: 'Engines' }))
    expect(await own.get('Lead', '00Q1')).toBeUndefined()
    expect(await mirror.get('Lead', 'own')).toBeUndefined()

    const found = async (reader: typeof own, text: string) =>
      idsIn(
        'Lead',
        (await reader.search({ text, types: ['Lead'], limit: 10 })).map(({ record }) => record),
      )
    expect(await found(mirror, 'engin')).toEqual(['00Q1'])
    expect((await found(mirror, 'ada')).toSorted()).toEqual(['00Q1', '00Q2'])
    expect([await found(own, 'engin'), await found(own, 'ada')]).toEqual([[], ['own']])

    const states = async (reader: typeof own, where: readonly Where[] = []) =>
      Object.fromEntries((await reader.tally('Lead', { ...TALLIED, where })).states.map(({ state, count }) => [state, count]))
    expect([await states(mirror), await states(own)]).toEqual([{ Open: 1, Closed: 1 }, { Open: 1 }])
    expect(await states(mirror, [{ field: 'Company', family: 'text', operator: 'eq', value: 'Engines' }])).toEqual({ Open: 1 })

    expect(await store.workspaces()).toHaveLength(1)
    expect(await store.workspace(mirrorOf(number))).toBeUndefined()
    expect(await store.workspacesWith('Lead')).toEqual([number])
    expect((await store.contents(number)).Lead).toBe(1)
    expect((await store.addWorkspace('next'))?.number).toBe(number + 1)
    expect(await store.journal(number).verify()).toMatchObject({ lines: 0, unsealed: 0 })
  })

  test('what is changed, deleted and erased in a mirror is so for its counters and its search', async () => {
    const { store, number } = await newStore()
    await store.write(number, inBoth)
    await store.write(number, async (writer) => {
      const mirror = writer.inMirror()
      expect(await mirror.update('Lead', '00Q1', { Status: 'Working', LastName: 'Byron' })).toMatchObject({ LeadID: '00Q1', LastName: 'Byron' })
      expect(await writer.inMirror().get('Lead', '00Q1')).toMatchObject({ Status: 'Working' })
      expect(await mirror.delete('Lead', '00Q2')).toBe(true)
      expect(await mirror.delete('Lead', 'own')).toBe(false)
    })
    const mirror = store.reader(mirrorOf(number))
    expect((await mirror.tally('Lead', TALLIED)).states).toMatchObject([{ state: 'Working', count: 1 }])
    expect(await mirror.search({ text: 'byron', types: ['Lead'], limit: 10 })).toHaveLength(1)
    expect(await mirror.search({ text: 'ada', types: ['Lead'], limit: 10 })).toHaveLength(1)
    await store.write(number, (writer) => writer.inMirror().erase('Lead', '00Q1'))
    expect(await mirror.search({ text: 'byron', types: ['Lead'], limit: 10 })).toEqual([])
    expect((await mirror.tally('Lead', TALLIED)).states).toEqual([])
    expect(await store.reader(number).get('Lead', 'own')).toBeDefined()
  })

  test('child records, custom objects and references are found in a mirror', async () => {
    const { store, number } = await newStore()
    await store.write(number, async (writer) => {
      const mirror = writer.inMirror()
      await mirror.create('Company', recordOf('Company', '001', dayOf(1), { CompanyName: 'Engines', Industry: 'Steel' }))
      await mirror.create('Contact', recordOf('Contact', '003', dayOf(2), { LastName: 'Babbage', CompanyID: '001' }))
      for (const i of [3, 2, 1]) await mirror.create('Note', recordOf('Note', `n${i}`, dayOf(9 - i), { RecordID: '001', Note: `${i}`, AuthorID: 'grace' }))
      await mirror.create('CustomObject', recordOf('CustomObject', 'boat', dayOf(3), { ObjectName: 'Boat', Values: { Length: 12 } }))
    })
    const mirror = store.reader(mirrorOf(number))
    expect((await mirror.getWithTotals('Company', '001'))?.totals).toEqual({ Notes: 3 })
    const ofParent: Where[] = [{ field: 'RecordID', family: 'text', operator: 'eq', value: '001' }]
    expect(idsIn('Note', (await mirror.find('Note', { ...EVERYTHING, where: ofParent })).records)).toEqual(['n3', 'n2', 'n1'])
    const ofSteel: Where[] = [{ field: 'Industry', family: 'text', operator: 'eq', value: 'Steel', through: { field: 'CompanyID', type: 'Company' } }]
    expect(idsIn('Contact', (await mirror.find('Contact', { ...EVERYTHING, where: ofSteel })).records)).toEqual(['003'])
    const long: Where[] = [{ field: 'Values', name: 'Length', family: 'number', operator: 'gt', value: 10 }]
    expect(idsIn('CustomObject', (await mirror.find('CustomObject', { ...EVERYTHING, where: long })).records)).toEqual(['boat'])
    expect((await store.reader(number).find('CustomObject', { ...EVERYTHING, where: long })).records).toEqual([])
  })

  test('a mirror is in the order of the times of creation, whatever the ids are', async () => {
    const { store, number } = await newStore()
    const COUNT = 250
    // Several share a time of creation, which the ids then order.
    const leads = scattered(COUNT).map((i) => leadOf(`${(i * 101) % COUNT}x`, dayOf(Math.floor(i / 3)), { OwnerID: i % 2 ? 'grace' : 'jean' }))
    const cases = scattered(COUNT).map((i) =>
      recordOf('Case', `${(i * 101) % COUNT}y`, dayOf(i), { Subject: 'S', Description: 'D', Status: i < 100 ? 'Closed' : 'New' }),
    )
    await store.write(number, async (writer) => {
      for (const lead of leads) await writer.inMirror().create('Lead', lead)
      for (const one of cases) await writer.inMirror().create('Case', one)
    })
    const mirror = store.reader(mirrorOf(number))
    const key = ({ CreatedDate, LeadID }: StoredRecord) => `${CreatedDate} ${LeadID}`
    const sorted = leads.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))

    for (const descending of [false, true]) {
      const read: StoredRecord[] = []
      for (let more = true; more; ) {
        const last = read.at(-1)
        const after = last && { value: last.CreatedDate as string, id: last.LeadID as string }
        const page = await mirror.find('Lead', { where: [], order: { field: 'CreatedDate', descending }, limit: 40, ...(after && { after }) })
        read.push(...page.records)
        more = page.more
      }
      expect(idsIn('Lead', read)).toEqual(idsIn('Lead', descending ? sorted.toReversed() : sorted))
    }

    const between: Where[] = [
      { field: 'CreatedDate', family: 'timestamp', operator: 'gte', value: dayOf(20) },
      { field: 'CreatedDate', family: 'timestamp', operator: 'lt', value: dayOf(30) },
    ]
    const theirs = sorted.filter(({ CreatedDate }) => (CreatedDate as string) >= dayOf(20) && (CreatedDate as string) < dayOf(30))
    expect(idsIn('Lead', (await mirror.find('Lead', { ...EVERYTHING, where: between })).records)).toEqual(idsIn('Lead', theirs))
    expect((await mirror.tally('Lead', { ...TALLIED, where: between })).states.reduce((sum, { count }) => sum + count, 0)).toBe(theirs.length)
    const open: Where[] = [{ field: 'Status', family: 'text', operator: 'eq', value: 'Open' }]
    expect(idsIn('Lead', (await mirror.find('Lead', { ...EVERYTHING, where: open, owners: ['jean'] })).records)).toEqual(
      idsIn(
        'Lead',
        sorted.filter(({ OwnerID }) => OwnerID === 'jean'),
      ),
    )

    expect(await mirror.firstCreated('Lead', undefined)).toBe(dayOf(0))
    expect(await mirror.firstCreated('Lead', ['jean', 'nobody'])).toBe(sorted.find(({ OwnerID }) => OwnerID === 'jean')?.CreatedDate)
    expect(await mirror.firstCreated('Lead', ['nobody'])).toBeUndefined()
    expect(await mirror.oldestNotIn('Case', undefined, ['Closed'])).toMatchObject({ CreatedDate: dayOf(100) })
    expect(await mirror.oldestNotIn('Case', ['grace'], [])).toMatchObject({ CreatedDate: dayOf(0) })
    expect(await mirror.oldestNotIn('Case', undefined, ['Closed', 'New'])).toBeUndefined()

    const all = await mirror.search({ text: 'number', types: ['Lead'], limit: 1000 })
    expect(
      idsIn(
        'Lead',
        all.map(({ record }) => record),
      ).toSorted(),
    ).toEqual(idsIn('Lead', leads).toSorted())
  })

  test('a mirror has what a CRM has no value for, although the contract requires one', async () => {
    const { store, number } = await newStore()
    const deals = [
      ['a', 'Open', '2026-01-01'],
      ['b', 'Open', null],
      ['c', null, '2026-12-01'],
      ['d', null, null],
      ['e', 'Won', '2027-01-01'],
    ] as const
    await store.write(number, async (writer) => {
      for (const [id, Stage, CloseDate] of deals)
        await writer.inMirror().create('Opportunity', { ...recordOf('Opportunity', id, dayOf(1), { OpportunityName: id, Amount: 1 }), Stage, CloseDate })
    })
    const mirror = store.reader(mirrorOf(number))
    const found = async (where: readonly Where[], order: Order = EVERYTHING.order) =>
      idsIn('Opportunity', (await mirror.find('Opportunity', { ...EVERYTHING, where, order })).records).join('')
    const on = (field: string, operator: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'in', value: string | null | (string | null)[]): Where => {
      return { field, family: field === 'Stage' ? 'text' : 'date', operator, value }
    }
    expect(await mirror.get('Opportunity', 'd')).toMatchObject({ Stage: null, CloseDate: null })
    expect((await mirror.getAll('Opportunity', ['b']))[0]).toMatchObject({ Stage: 'Open', CloseDate: null })
    expect(await found([on('CloseDate', 'eq', null)])).toBe('bd')
    expect(await found([on('CloseDate', 'ne', null)])).toBe('ace')
    expect(await found([on('CloseDate', 'lt', '2026-12-01')])).toBe('a')
    expect(await found([on('CloseDate', 'lte', '2026-12-01')])).toBe('ac')
    expect(await found([on('CloseDate', 'gt', '2026-01-01')])).toBe('ce')
    expect(await found([{ not: [on('CloseDate', 'lt', '2026-12-01')] }])).toBe('bcde')
    expect(await found([on('Stage', 'in', ['Won', null])])).toBe('cde')
    expect(await found([on('Stage', 'in', ['Won', 'Open'])])).toBe('abe')
    expect(await found([on('Stage', 'ne', 'Open')])).toBe('cde')
    expect(await found([], { field: 'CloseDate', descending: false })).toBe('bdace')
    for (const descending of [false, true]) {
      const ids: unknown[] = []
      let after: { value: string | null; id: string } | undefined
      for (let more = true; more; ) {
        const page = await mirror.find('Opportunity', { where: [], order: { field: 'CloseDate', descending }, limit: 1, ...(after && { after }) })
        const [record] = page.records as [StoredRecord]
        ids.push(record.OpportunityID)
        after = { value: record.CloseDate as string | null, id: record.OpportunityID as string }
        more = page.more
      }
      expect(ids.join('')).toBe(descending ? 'ecadb' : 'bdace')
    }
    for (const where of [[], [on('CloseDate', 'ne', '2020-01-01')]]) {
      const { states, due } = await mirror.tally('Opportunity', { ...TALLIED, where })
      expect(countsBy(states, ({ state }) => `${state}`)).toEqual({ Open: 2, Won: 1, null: 2 })
      expect(countsBy(due, ({ when }) => when)).toEqual({ overdue: 1, soon: 1 })
    }
    await store.write(number, (writer) => writer.inMirror().update('Opportunity', 'a', { CloseDate: null, Stage: null }))
    expect(await found([on('CloseDate', 'eq', null)])).toBe('abd')
    expect((await mirror.tally('Opportunity', TALLIED)).due).toMatchObject([{ when: 'soon', count: 1 }])
    await expect(
      store.write(number, (writer) => writer.create('Opportunity', { ...recordOf('Opportunity', 'f', dayOf(1), { OpportunityName: 'f' }), Stage: null })),
    ).rejects.toThrow()
  })

  test('fields beyond the contract are kept and found in a mirror', async () => {
    const { store: plain, number } = await newStore()
    const score = (label: string, indexed: boolean) => ({ kind: 'number', label, readOnly: false, own: { indexed, unique: false } }) as const
    const store = plain.withOwnFields({ extras: { Lead: { Score: score('Score', true), Rank: score('Rank', false) } }, limits: {}, retired: {} })
    await store.write(number, async (writer) => {
      for (const i of [3, 1, 2]) await writer.inMirror().create('Lead', { ...leadOf(`00Q${i}`, dayOf(9 - i)), Score: i, Rank: 10 * i })
      expect(await writer.inMirror().get('Lead', '00Q1')).toMatchObject({ Score: 1, Rank: 10 })
      await writer.inMirror().update('Lead', '00Q1', { Score: 5 })
    })
    const mirror = store.reader(mirrorOf(number))
    const above = (field: string, value: number): Where[] => [{ field, family: 'number', operator: 'gt', value }]
    expect(idsIn('Lead', (await mirror.find('Lead', { ...EVERYTHING, where: above('Score', 2) })).records)).toEqual(['00Q3', '00Q1'])
    expect(idsIn('Lead', (await mirror.find('Lead', { ...EVERYTHING, where: above('Rank', 10) })).records)).toEqual(['00Q3', '00Q2'])
    const byScore = { ...EVERYTHING, order: { field: 'Score', descending: true } }
    expect((await mirror.find('Lead', byScore)).records.map(({ Score }) => Score)).toEqual([5, 3, 2])
    expect((await store.reader(number).find('Lead', byScore)).records).toEqual([])
  })

  test('a transaction that fails leaves neither its rows in the workspace nor those in the mirror', async () => {
    const { store, number } = await newStore()
    const failing = store.write(number, async (writer) => {
      await inBoth(writer)
      await writer.setPosition('mirror Lead', '1')
      await writer.appendAuditLine(AUDIT_LINE)
      await writer.inMirror().get('Lead', '00Q1')
      throw new Error('No.')
    })
    await expect(failing).rejects.toThrow('No.')
    const twice = store.write(number, async (writer) => {
      await writer.create('Lead', leadOf('own', dayOf(1)))
      await writer.inMirror().create('Lead', leadOf('00Q1', dayOf(1)))
      await writer.inMirror().create('Lead', leadOf('00Q1', dayOf(1)))
    })
    await expect(twice).rejects.toThrow()
    for (const of of [number, mirrorOf(number)]) {
      expect((await store.reader(of).find('Lead', EVERYTHING)).records).toEqual([])
      expect((await store.reader(of).tally('Lead', TALLIED)).states).toEqual([])
      expect(await store.reader(of).search({ text: 'ada', types: ['Lead'], limit: 10 })).toEqual([])
    }
    expect(await store.journal(number).position('mirror Lead')).toBeUndefined()
    expect(await store.journal(number).span()).toEqual({ released: 0, newest: 0 })
  })

  test('a mirror is erased alone, and with its workspace', async () => {
    const { store, number } = await newStore()
    const other = (await store.addWorkspace('other'))?.number as number
    for (const of of [number, other]) {
      await store.write(of, async (writer) => {
        await inBoth(writer)
        await writer.setPosition('mirror Lead', '1')
      })
      // What is indexed is erased, too.
      await store.reader(mirrorOf(of)).search({ text: 'ada', types: ['Lead'], limit: 10 })
    }
    await store.eraseRows(mirrorOf(number))
    expect(await store.contents(mirrorOf(number))).toEqual({})
    expect(await store.contents(number)).toMatchObject({ Lead: 1 })
    expect(await store.contents(mirrorOf(other))).toEqual({ Lead: 2 })
    expect(await store.contents(other, true)).toMatchObject({ Lead: 3 })
    expect(await store.reader(mirrorOf(number)).search({ text: 'ada', types: ['Lead'], limit: 10 })).toEqual([])
    expect((await store.reader(mirrorOf(number)).tally('Lead', TALLIED)).states).toEqual([])
    expect(await store.workspacesToErase()).toEqual([])

    await store.eraseRows(other)
    expect([await store.contents(other), await store.contents(mirrorOf(other))]).toEqual([{}, {}])
    expect(await store.journal(other).position('mirror Lead')).toBeUndefined()
    expect(await store.journal(number).position('mirror Lead')).toBe('1')
    await store.endErasure(other)
    expect((await store.addWorkspace('next'))?.number).toBeLessThan(FIRST_MIRROR)

    await store.write(number, async (writer) => {
      await writer.inMirror().create('Lead', leadOf('00Q1', dayOf(2)))
    })
    expect((await store.reader(mirrorOf(number)).tally('Lead', TALLIED)).states).toMatchObject([{ count: 1 }])
  })

  test('a position is what the last transaction has set, in all processes', async () => {
    const { store, number, open } = await newStore()
    const other = await open()
    const [here, there] = [store.journal(number), other.journal(number)]
    expect(await here.position('watch')).toBeUndefined()
    await store.write(number, async (writer) => {
      expect(await writer.position('watch')).toBeUndefined()
      await writer.setPosition('watch', '{"at":1}')
      expect(await writer.position('watch')).toBe('{"at":1}')
      await writer.setPosition('watch', '{"at":2}')
    })
    await vi.waitFor(async () => expect(await there.position('watch')).toBe('{"at":2}'), { timeout: 60_000 })
    await other.write(number, async (writer) => {
      expect(await writer.position('watch')).toBe('{"at":2}')
      await writer.setPosition('watch', null)
      expect(await writer.position('watch')).toBeUndefined()
    })
    await vi.waitFor(async () => expect(await here.position('watch')).toBeUndefined(), { timeout: 60_000 })

    // Each goes on from where the one before has ended.
    await store.write(number, (writer) => writer.setPosition('count', '0'))
    const next = (of: Store) =>
      of.write(number, async (writer) => {
        const count = Number(await writer.position('count'))
        await writer.inMirror().create('Lead', leadOf(`00Q${count}`, dayOf(count)))
        await writer.setPosition('count', `${count + 1}`)
      })
    await Promise.all(Array.from({ length: 10 }, () => [next(store), next(other)]).flat())
    await vi.waitFor(async () => expect([await here.position('count'), await there.position('count')]).toEqual(['20', '20']), { timeout: 60_000 })
    expect((await store.contents(mirrorOf(number))).Lead).toBe(20)
  })

  test('what one process writes to a mirror, another finds', async () => {
    const { store, number, open } = await newStore()
    const other = await open()
    await store.write(number, inBoth)
    const mirror = other.reader(mirrorOf(number))
    await vi.waitFor(async () => expect(idsIn('Lead', (await mirror.find('Lead', EVERYTHING)).records)).toEqual(['00Q1', '00Q2']), { timeout: 60_000 })
    expect(await mirror.search({ text: 'engines', types: ['Lead'], limit: 10 })).toHaveLength(1)
    await other.write(number, (writer) => writer.inMirror().delete('Lead', '00Q2'))
    await vi.waitFor(async () => expect((await store.reader(mirrorOf(number)).tally('Lead', TALLIED)).states).toMatchObject([{ state: 'Open', count: 1 }]), {
      timeout: 60_000,
    })
  })
})
