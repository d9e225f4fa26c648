import { describe, expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { localAdmin } from '../../../src/core/access/authenticate.ts'
import { bootstrap } from '../../../src/core/access/bootstrap.ts'
import { execute } from '../../../src/core/call/execute.ts'
import { stream } from '../../../src/core/call/stream.ts'
import { createService, type Service } from '../../../src/core/service.ts'
import { STORES } from '../../support/stores.ts'

type Row = Record<string, unknown>
interface Page {
  readonly Records: readonly Row[]
  readonly Events: readonly Row[]
  readonly NextCursor: string | null
}

/** 128 kB in UTF-8. */
const LONG = '😀'.repeat(LIMITS.longText)
const MANY = 40

async function opened(open: (typeof STORES)[number]['open']) {
  const store = await open()
  onTestFinished(() => store.close())
  const service = createService({ platform: store, store })
  await bootstrap(service)
  const caller = await localAdmin(service)
  const call = async (operation: string, input: object) => (await execute(service, { operation, input, caller })).result as Row & Page
  return { service, call, caller }
}

type Call = Awaited<ReturnType<typeof opened>>['call']

/** All pages of a read, each with what it holds. */
async function pagesOf(call: Call, operation: string, input: object, cursor: 'Cursor' | 'After' = 'Cursor'): Promise<Row[][]> {
  const pages: Row[][] = []
  let next: string | null | undefined
  do {
    const page = await call(operation, { ...input, Limit: 1000, ...(next && { [cursor]: next }) })
    pages.push([...(page.Records ?? page.Events)])
    next = page.NextCursor
  } while (cursor === 'Cursor' ? next !== null : pages.at(-1)?.length !== 0)
  return pages
}

function expectPages(pages: readonly Row[][], id: string, count: number): void {
  expect(pages.length).toBeGreaterThan(1)
  expect(new Set(pages.flat().map((record) => record[id])).size).toBe(count)
  expect(pages.flat()).toHaveLength(count)
  for (const page of pages) expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(LIMITS.pageBytes * 1.1)
}

const streamed = async (service: Service, call: Parameters<typeof stream>[1]) => {
  const pages: Row[][] = []
  for await (const page of stream(service, call)) pages.push([...page.Records])
  return pages
}

describe.each(STORES)('a page ends by its bytes, on $platform', ({ open }) => {
  test('but not where all records are wanted, as when the traces of one are erased', async () => {
    const { service, call } = await opened(open)
    for (let i = 0; i < MANY; i++) await call('create_case', { Subject: `Case ${i}`, Description: LONG })
    const query = { where: [], order: { field: 'CaseID', descending: false }, limit: Number.MAX_SAFE_INTEGER }
    expect((await service.store.reader(1).find('Case', query)).records).toHaveLength(MANY)
  })

  test('of records, notes, changes and events, and the next one goes on where it ended', async () => {
    const { service, call, caller } = await opened(open)
    const { LeadID } = await call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    await Promise.all(
      Array.from({ length: MANY }, async (_, i) => {
        await call('create_case', { Subject: `Case ${i % 7}`, Description: LONG })
        await call('add_notes_to_leads', { LeadID, Note: LONG })
      }),
    )
    for (const OrderBy of ['Subject desc', 'Status asc']) expectPages(await pagesOf(call, 'get_many_cases', { OrderBy }), 'CaseID', MANY)
    expectPages(await streamed(service, { operation: 'get_many_cases', input: {}, caller }), 'CaseID', MANY)
    expectPages(await pagesOf(call, 'get_many_notes', { RecordID: LeadID }), 'NoteID', MANY)
    expectPages(await pagesOf(call, 'get_many_changes', { Filters: { Operation: { in: ['create_case', 'add_notes_to_leads'] } } }), 'ChangeID', 2 * MANY)
    const events = await pagesOf(call, 'get_many_events', {}, 'After')
    expectPages(events, 'EventID', events.flat().length)
    expect(events.flat().filter(({ Type }) => Type === 'case.created')).toHaveLength(MANY)

    const brief = await call('get_many_cases', { Select: ['Subject'], Limit: 1000 })
    expect([brief.Records.length, brief.NextCursor]).toEqual([MANY, null])
    const { Notes, NotesTotal } = await call('get_leads', { LeadID })
    expect(NotesTotal).toBe(MANY)
    expect((Notes as Row[]).length).toBeLessThan(MANY)
  })

  test('and one record always fits', async () => {
    const { call } = await opened(open)
    const names = Array.from({ length: 70 }, (_, i) => `Field${i}`)
    const Fields = Object.fromEntries(names.map((name) => [name, { Type: 'String', Label: name, Value: LONG.slice(0, LIMITS.longText) }]))
    for (let i = 0; i < 2; i++) await call('create_custom_object', { ObjectName: 'Library', Fields })
    const pages = await pagesOf(call, 'get_many_custom_objects', {})
    expect(pages.map(({ length }) => length)).toEqual([1, 1])
  })

  test('of custom objects whose definitions are what is long', async () => {
    const { call } = await opened(open)
    const names = Array.from({ length: LIMITS.customFields }, (_, i) => `Field${i}`)
    const Label = 'x'.repeat(LIMITS.text)
    await call('create_custom_object', { ObjectName: 'Wide', Fields: Object.fromEntries(names.map((name) => [name, { Type: 'Number', Label }])) })
    await Promise.all(Array.from({ length: MANY - 1 }, (_, i) => call('create_custom_object', { ObjectName: 'Wide', Fields: { Field1: { Value: i } } })))
    expectPages(await pagesOf(call, 'get_many_custom_objects', { OrderBy: 'Field1 asc' }), 'ObjectID', MANY)
    const brief = await call('get_many_custom_objects', { Select: ['Field1'], Limit: 1000 })
    expect([brief.Records.length, brief.NextCursor]).toEqual([MANY, null])
  })
})
