import { encode as o200k } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Talk, type ToolAnswer, talkTo } from '../support/mcp.ts'
import { parseAnswer } from '../support/parse-answer.ts'
import { startServer, type TestServer } from '../support/server.ts'

type Members = { readonly [member: string]: unknown }

const LONG = 'The third column of the engine sticks. 第三列が動かない。😀 '.repeat(400)
const CASES = 24

let server: TestServer
let talk: Talk
let LeadID: unknown
let CaseID: unknown

beforeAll(async () => {
  server = await startServer()
  talk = await talkTo(server.url, server.key, { atEnd: afterAll })
  for (let i = 0; i < CASES; i++) {
    const text = i % 4 === 0 ? LONG.slice(0, 100 * i) : 'Short.'
    ;({ CaseID } = await server.call('create_case', { Subject: `Engine ${i % 5}`, Description: text || 'None.', Priority: i % 3 ? 'High' : undefined }))
  }
  ;({ LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' }))
  for (let i = 0; i < 12; i++) {
    await server.call('add_notes_to_leads', { LeadID, Note: `${i} ${LONG.slice(0, 300 * (i % 3))}` })
    await server.call('add_comment', { CaseID, Comment: `${i} ${LONG.slice(0, 300 * (i % 3))}` })
    await server.call('create_custom_object', { ObjectName: 'Boat', Fields: { Hull: { Type: 'Number', Label: 'Hull', Value: i % 4 } } })
  }
})
afterAll(() => server.close())

/** Calls a tool, and checks that its text and its structure fit. */
async function fitting(tool: string, input: Members, budget = 4000): Promise<ToolAnswer> {
  const answer = await talk.call(tool, { ...input, ...(budget !== 4000 && { Budget: budget }) })
  for (const text of [answer.text, JSON.stringify(answer.says)]) expect(o200k(text).length, tool).toBeLessThanOrEqual(budget)
  expect(input.Detail === 'full' && !answer.isError ? JSON.parse(answer.text) : parseAnswer(answer.text)).toEqual(answer.says)
  return answer
}

const idOf = (record: Members) => record.CaseID ?? record.NoteID ?? record.CommentID ?? record.ObjectID ?? record.ChangeID ?? record.EventID

const PAGES: readonly (readonly [string, () => Members])[] = [
  ['get_many_cases', () => ({})],
  ['get_many_cases', () => ({ OrderBy: 'Subject' })],
  ['get_many_cases', () => ({ OrderBy: 'Priority desc', Select: ['Description'], Include: ['Owner'] })],
  ['get_many_notes', () => ({ RecordID: LeadID })],
  ['get_many_comments', () => ({ CaseID })],
  ['get_many_custom_objects', () => ({ Filters: { ObjectName: 'Boat' }, OrderBy: 'Hull' })],
  ['search', () => ({ Text: 'Engine' })],
  ['get_many_changes', () => ({ Filters: { RecordType: 'Case' } })],
  ['get_many_events', () => ({})],
]

describe('a page', () => {
  test.each(PAGES)('of %s ends where the budget does, and the next begins there', async (tool, inputOf) => {
    const [list, cursor] = tool === 'get_many_events' ? (['Events', 'After'] as const) : (['Records', 'Cursor'] as const)
    const ids = (records: unknown) => (records as Members[]).map((one) => idOf((one.Record ?? one) as Members))
    const all = ids((await server.call(tool, { ...inputOf(), Limit: 200 }))[list])
    expect(all.length).toBeGreaterThan(11)
    for (const [Detail, budget] of [
      [undefined, 900],
      ['full', 1600],
    ] as const) {
      const seen: unknown[] = []
      let pages = 0
      for (let at: unknown, more = true; more && pages < 200; pages++) {
        const { says, isError, text } = await fitting(
          tool,
          { ...inputOf(), Limit: 50, ...(Detail && { Detail }), ...(at !== undefined && { [cursor]: at }) },
          budget,
        )
        expect(isError, text).toBe(false)
        seen.push(...ids(says[list]))
        more = list === 'Events' ? (says.Events as unknown[]).length > 0 : typeof says.NextCursor === 'string'
        if (more) expect(says.LeftOut ?? 'what follows').toContain('what follows')
        at = says.NextCursor
      }
      expect(pages).toBeGreaterThan(1)
      expect(seen).toEqual(all)
    }
  })

  test('is not cut where it fits', async () => {
    const { says } = await fitting('get_many_cases', { Select: ['Subject'] })
    expect(says.Records).toHaveLength(20)
  })
})

describe('an answer that is no page', () => {
  test('is cut in its longest texts, also in full, and says which budget shows all', async () => {
    const Description = LONG.slice(0, 20_000)
    const { CaseID } = await server.call('create_case', { Subject: 'Long', Description })
    const { says } = await fitting('get_case', { CaseID, Detail: 'full' })
    const [, longest, needed] = /^what is beyond (\d+) characters of Description \(Budget: (\d+) shows all\)$/.exec(says.LeftOut as string) ?? []
    expect(says).toMatchObject({ Subject: 'Long', ExternalID: null, Description: expect.stringMatching(/ more characters\)$/) })
    expect((says.Description as string).startsWith(Description.slice(0, Number(longest) - 1))).toBe(true)
    const whole = await fitting('get_case', { CaseID, Detail: 'full' }, Number(needed))
    expect(whole.says).toEqual(await server.call('get_case', { CaseID }))
    const [only] = (await fitting('get_many_cases', { Filters: { CaseID }, Detail: 'full' })).says.Records as Members[]
    expect(only).toMatchObject({ Subject: 'Long', Description: expect.stringMatching(/ more characters\)$/) })
  })

  test('fits whatever it is about, down to the smallest budget', async () => {
    const Fields = Object.fromEntries(
      Array.from({ length: 150 }, (_, i) => [`Field${i}`, { Type: 'String', Label: `Label ${i}`, Value: LONG.slice(i, i * 9).toWellFormed() }]),
    )
    const { ObjectID } = await server.call('create_custom_object', { ObjectName: 'Ship', Fields })
    const reads: [string, Members][] = [
      ['describe', {}],
      ['describe', { RecordType: 'Lead' }],
      ['get_custom_object', { ObjectID }],
      ['get_case', { CaseID }],
      ['get_leads', { LeadID }],
      ['case_get_summary', {}],
      ['get_current_user', {}],
      ['create_case', { Subject: 'Dry', Description: LONG.slice(0, 5000), DryRun: true }],
      ['update_case', { CaseID, FieldsToUpdate: { Description: LONG.slice(0, 9000) } }],
      ['create_a_lead', Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${LONG.slice(i, i + 60).toWellFormed()}${i}`, i]))],
    ]
    for (const [tool, input] of reads)
      for (const Detail of [undefined, 'full'])
        for (const budget of [4000, 600, 200]) {
          const answer = await talk.call(tool, { ...input, Budget: budget, ...(Detail && { Detail }) })
          for (const text of [answer.text, JSON.stringify(answer.says)]) expect(o200k(text).length, `${tool} ${Detail} ${budget}`).toBeLessThanOrEqual(budget)
          expect(answer.says.code).not.toBe('too_large')
        }
  })
})

test('a write that is longer than its budget says where to read it, and does not invite to repeat it', async () => {
  const { says } = await fitting('create_case', { Subject: 'Longer', Description: LONG.slice(0, 20_000), Detail: 'full' })
  expect(says.LeftOut).toMatch(/^what is beyond \d+ characters of Description \(get_case shows the whole record\)$/)
})

test('a remark on a write is within its budget', async () => {
  const twice = { Subject: 'Twice', Description: LONG.slice(0, 20_000) }
  await talk.call('create_case', twice)
  for (const Detail of [undefined, 'full'])
    for (const budget of [4000, 600, 300]) {
      const { text, says } = await talk.call('create_case', { ...twice, Budget: budget, ...(Detail && { Detail }) })
      expect(text).toContain('Remark: ')
      for (const part of [text, JSON.stringify(says)]) expect(o200k(part).length, `${Detail} ${budget}`).toBeLessThanOrEqual(budget)
    }
})

test('a budget is a whole number within its bounds', async () => {
  for (const Budget of [199, 10_000_001, 4000.5, '4000', null]) {
    const { isError, says } = await talk.call('get_many_cases', { Budget })
    expect([isError, says.code, (says.errors as { field: string }[])[0]?.field]).toEqual([true, 'invalid_input', 'Budget'])
  }
})
