import { beforeAll, describe, expect, test } from 'vitest'
import { Connection } from '../../src/contract/records/connection.ts'
import { newRecord, shown } from '../../src/core/call/records.ts'
import { cellOf } from '../../src/transports/cli/cells.ts'
import { paintFor } from '../../src/transports/cli/paint.ts'
import { rowLines } from '../../src/transports/cli/views.ts'
import { type CommandOptions, runHere, startHere } from '../support/cli.ts'
import { storeForFile } from '../support/store-for-file.ts'

const store = storeForFile()
const { env } = store
const COLUMNS = 120

/** What a person sees, without colours unless they are asked for. */
const onTerminal = (words: readonly string[], how: CommandOptions = {}) =>
  runHere(words, { columns: COLUMNS, ...how, env: { ...env, NO_COLOR: '1', ...how.env } })
const piped = (words: readonly string[]) => runHere(words, { env })

const ids: string[] = []
beforeAll(async () => {
  const { crm } = store
  for (const [i, FirstName] of ['Ada', '太郎', '\u001b[31mRed'].entries())
    ids.unshift((await crm.leads.create({ FirstName, LastName: `No. ${i}`, Email: `lead${i}@example.com` })).LeadID)
  for (const [OpportunityName, Stage, Amount] of [
    ['Engine', 'Closed Won', 1200.5],
    ['Loom', 'Prospecting', -50],
  ] as const)
    await crm.opportunities.create({ OpportunityName, Stage, CloseDate: '2026-12-31', Amount })
})

describe('a page', () => {
  test('is a table on a terminal, with how many there are', async () => {
    const { code, out, err } = await onTerminal(['get_many_leads', '--Select', 'FirstName,LastName,Email,CreatedDate'])
    const lines = out.split('\n')
    expect(code).toBe(0)
    expect(lines[0]).toBe('LeadID                FirstName  LastName  Email              CreatedDate')
    expect(lines.slice(1, 4).map((line) => line.replace(/\d{4}-\d\d-\d\d \d\d:\d\dZ$/, 'WHEN'))).toEqual([
      `${ids[0]}  ␛[31mRed   No. 2     lead2@example.com  WHEN`,
      `${ids[1]}  太郎       No. 1     lead1@example.com  WHEN`,
      `${ids[2]}  Ada        No. 0     lead0@example.com  WHEN`,
    ])
    expect(err).toBe('3 leads.\n')
  })

  test('says how to get the next one, with a command that does so, and the one after it has none', async () => {
    const words = ['get_many_leads', '--Filters.LastName.startsWith', 'No.', '--Limit', '2', '--OrderBy', 'LastName asc', '--Select', 'LastName']
    const { out, err } = await onTerminal(words)
    expect(
      out
        .split('\n')
        .slice(1, -1)
        .map((line) => line.slice(22)),
    ).toEqual(['No. 0', 'No. 1'])
    const [, next = ''] = /^Next page: crm (.*)$/m.exec(err) ?? []
    expect(err).toMatch(/^2 leads, and more; --all shows them all\.\n/)
    const second = await onTerminal([...next.matchAll(/'[^']*'|\S+/g)].map(([word]) => word.replaceAll("'", '')))
    expect(
      second.out
        .split('\n')
        .slice(1, -1)
        .map((line) => line.slice(22)),
    ).toEqual(['No. 2'])
    expect(second.err).toBe('1 lead.\n')
  })

  test('says where it goes again in the next command, and what there was no room for', async () => {
    const platform = ['--platform', env.CRM_PLATFORM ?? '']
    const { out, err } = await onTerminal(['get_many_leads', '--Limit', '1', ...platform], { columns: 60 })
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60)
    expect(err).toMatch(new RegExp(`\nNext page: crm get_many_leads --Limit 1 --Cursor \\S+ ${platform.join(' ')}\n`))
    expect(err).toMatch(
      /\nNo room for Status, EmailOptOut, OwnerID, .*Revision\. See them with: crm get_many_leads --Limit 1 --Select Status,EmailOptOut,OwnerID,/,
    )
  })

  test('that is empty says so', async () => {
    expect(await onTerminal(['get_many_leads', '--Filters.LastName', 'Nobody'])).toEqual({ code: 0, out: '', err: 'No leads.\n' })
    expect(await onTerminal(['get_many_cases', '--output', 'csv'])).toMatchObject({ out: expect.stringMatching(/^CaseID,Subject,Description,Status,.*\r?\n$/) })
  })

  test('is one line of JSON where nobody looks on, and a table or CSV where that is asked for', async () => {
    expect(JSON.parse((await piped(['get_many_leads', '--Limit', '1'])).out)).toMatchObject({ Records: [{ LeadID: ids[0] }], NextCursor: expect.any(String) })
    expect((await piped(['get_many_leads', '--Select', 'LastName', '--output', 'table'])).out).toMatch(/^LeadID {16}LastName\n/)
    const csv = await piped(['get_many_leads', '--Limit', '2', '--Select', 'LastName,Phone', '--output', 'csv'])
    expect(csv.out).toBe(`LeadID,LastName,Phone\r\n${ids[0]},No. 2,\r\n${ids[1]},No. 1,\r\n`)
    expect(csv.err).toBe('2 leads, and more; --all shows them all.\n')
  })

  test('as JSON on a terminal holds nothing that the terminal would obey', async () => {
    const { LeadID } = await store.crm.leads.create({ FirstName: 'a\u009b31m\u202e', LastName: 'x' })
    const { out } = await onTerminal(['get_leads', '--LeadID', LeadID, '--output', 'json'])
    expect(out).toContain('"FirstName": "a\\u009b31m\\u202e"')
    expect((JSON.parse(out) as { FirstName: string }).FirstName).toBe('a\u009b31m\u202e')
    await store.crm.leads.delete({ LeadID })
  })
})

describe('--all', () => {
  test('follows the pages: one record a line, a table with one head, or one file', async () => {
    const json = await piped(['get_many_leads', '--all', '--Limit', '1'])
    expect(
      json.out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { LeadID: string }).LeadID),
    ).toEqual(ids)
    const csv = await piped(['get_many_leads', '--all', '--Limit', '2', '--Select', 'LastName', '--output', 'csv'])
    expect(csv).toEqual({ code: 0, out: `LeadID,LastName\r\n${ids.map((id, i) => `${id},No. ${2 - i}\r\n`).join('')}`, err: '' })
    const table = await onTerminal(['get_many_leads', '--all', '--Limit', '1', '--Select', 'LastName'])
    expect(table.out.split('\n').map((line) => line.slice(0, 6))).toEqual(['LeadID', ...ids.map((id) => id.slice(0, 6)), ''])
    expect(table.err).toBe('3 leads.\n')
  })

  test('ends at once when nobody reads any more', async () => {
    let pages = 0
    const client = { ...store.crm, call: async () => ({ Records: [{ LeadID: String(++pages) }], NextCursor: 'more' }), close: async () => {} }
    const running = startHere(['get_many_leads', '--all'], { env, app: { client: async () => client as never } })
    running.leave()
    expect((await running.ended).code).toBe(0)
    expect(pages).toBeLessThanOrEqual(1)
  })

  test('is no flag of what has no pages', async () => {
    expect((await piped(['get_leads', '--all'])).err).toContain('get_leads has no flag --all.')
  })
})

describe('a record', () => {
  test('is names and values on a terminal, with what hangs on it below', async () => {
    const LeadID = ids[2] ?? ''
    await store.crm.leads.addNote({ LeadID, Note: 'Asked for a quote.\nBy Friday.' })
    const { out } = await onTerminal(['get_leads', '--LeadID', LeadID])
    expect(out).toMatch(/^LeadID {10}\w{20}\nFirstName {7}Ada\n/)
    expect(out).toMatch(/\nPhone {11}–\n/)
    expect(out).toMatch(/\nNotesTotal {6}1\n/)
    expect(out).toMatch(/\n\nNotes\n {2}NoteID .*\n {2}\w{20} {2}Asked for a quote\.↵By Friday\./)
  })

  test('with a long text goes on below itself', async () => {
    const { CaseID } = await store.crm.cases.create({ Subject: 'Card', Description: 'The third card of the deck sticks.\nAgain.' })
    const { out } = await onTerminal(['get_case', '--CaseID', CaseID], { columns: 40 })
    expect(out).toContain('Description    The third card of the\n               deck sticks.\n               Again.\n')
  })

  test('is coloured where the terminal can, and not where nobody looks on', async () => {
    const coloured = await onTerminal(['get_many_leads'], { env: { NO_COLOR: '' } })
    expect(coloured.out).toContain('\u001b[1mLeadID\u001b[22m')
    expect((await runHere(['get_many_leads', '--output', 'table'], { env })).out).not.toContain('\u001b')
    expect((await runHere(['get_many_leads', '--output', 'table'], { env: { ...env, FORCE_COLOR: '1' } })).out).toContain('\u001b[1m')
  })
})

test('a quotient is rounded for people, and what somebody has written is not', () => {
  expect([0.34444444444444444, 12565.997612345678, 0.1, 7.123456789, 19716050.17, 0.00001].map((value) => cellOf('WinRate', value))).toEqual([
    '0.3444',
    '12565.9976',
    '0.1',
    '7.123456789',
    '19716050.17',
    '0.00001',
  ])
})

test('a summary is small tables', async () => {
  const { out } = await onTerminal(['get_summary_opportunity'])
  expect(out).toMatch(/^Total {10}2\nTotalAmount {4}1150\.5\n/)
  expect(out).toContain('\n\nByStage\n  Stage        Count  Amount\n  Closed Won       1  1200.5\n  Prospecting      1     -50\n')
  expect(out).toMatch(/\n {13}Count {2}Amount\nOpen {13}1 {5}-50\nWon {14}1 {2}1200\.5\nLost {13}0 {7}0\n/)
})

test('a custom object has its values beside its own fields', async () => {
  const words = ['--Fields.HullLength.Type', 'Number', '--Fields.HullLength.Label', 'Hull length', '--Fields.HullLength.Value', '7.5']
  const { out } = await onTerminal(['create_custom_object', '--ObjectName', 'Boat', ...words])
  expect(out).toContain('\n\nValues\n  HullLength  7.5\n')
  expect(out).toMatch(/\n\nFields\n +Type +Label\n {2}HullLength {2}Number {2}Hull length\n/)
  expect((await onTerminal(['get_many_custom_objects', '--Filters.HullLength.gte', '5'])).out).toMatch(/^ObjectID +ObjectName .*HullLength\n.* 7\.5\n$/)
})

test('what describe answers can be read', async () => {
  const { out } = await onTerminal(['describe', '--RecordType', 'Lead'])
  expect(out).toMatch(/^Platform {2,}sqlite\n/)
  expect(out).toMatch(/\nRecordTypes: Lead\n {2}Name {8}Lead\n/)
  expect(out).toMatch(/\n {4}Name +Type +Label /)
})

describe('a write tells a person', () => {
  const undo = /^Undo it with: crm undo_change --ChangeID (\w{20})\n$/

  test('how to take it back, which works', async () => {
    const { err } = await onTerminal(['create_a_lead', '--FirstName', 'a', '--LastName', 'Mistake'])
    const [, ChangeID = ''] = undo.exec(err) ?? []
    const undone = await onTerminal(['undo_change', '--ChangeID', ChangeID])
    expect([undone.code, undone.err]).toEqual([0, expect.stringMatching(undo)])
    expect((await store.crm.leads.getMany({ Filters: { LastName: 'Mistake' } })).Records).toEqual([])
  })

  test('only the line of the audit where it cannot be taken back', async () => {
    expect((await onTerminal(['create_user', '--Name', 'Grace'])).err).toMatch(/^Change \w{20}\n$/)
  })

  test('that it was carried out before', async () => {
    const words = ['create_a_lead', '--FirstName', 'a', '--LastName', 'Twice', '--idempotency-key', 'twice']
    await onTerminal(words)
    expect((await onTerminal(words)).err).toMatch(/^This call ran before with the same --idempotency-key/)
  })

  test('and a program nothing', async () => {
    expect((await piped(['create_a_lead', '--FirstName', 'a', '--LastName', 'Quiet'])).err).toBe('')
  })

  test('what it would do, when it is only tried', async () => {
    const { out, err } = await onTerminal([
      'update_lead',
      '--LeadID',
      ids[2] ?? '',
      '--FieldsToUpdate.Phone',
      '+44',
      '--FieldsToUpdate.Email',
      'null',
      '--dry-run',
    ])
    expect(out).toBe('Field  From               To\nEmail  lead0@example.com  –\nPhone  –                  +44\n')
    expect(err).toBe('Nothing was written: this is what would be.\n')
    expect(JSON.parse((await piped(['delete_lead', '--LeadID', ids[2] ?? '', '--dry-run'])).out)).toMatchObject({ DryRun: true })
  })
})

describe('what has to be confirmed', () => {
  const made = async () => (await store.crm.leads.create({ FirstName: 'a', LastName: 'Doomed' })).LeadID
  const isThere = async (LeadID: string) => (await store.crm.leads.getMany({ Filters: { LeadID } })).Records.length === 1

  test('is asked of a person, who sees it first', async () => {
    const LeadID = await made()
    for (const typed of ['n\r', '\u0004']) {
      const no = await onTerminal(['delete_lead', '--LeadID', LeadID, '--confirm'], { typed: [typed] })
      expect([no.code, no.err]).toEqual([5, expect.stringMatching(/LastName +Doomed +–[\s\S]*Execute delete_lead\? \[y\/N\][\s\S]*Nothing was done\./)])
    }
    const stopped = await onTerminal(['delete_lead', '--LeadID', LeadID, '--confirm'], { typed: ['\u0003'] })
    expect([stopped.code, stopped.err]).toEqual([130, expect.stringMatching(/\ncrm: Stopped\. Nothing was done\.\n$/)])
    expect(await isThere(LeadID)).toBe(true)
    const yes = await onTerminal(['delete_lead', '--LeadID', LeadID, '--confirm'], { typed: ['y\r'] })
    expect([yes.code, await isThere(LeadID)]).toEqual([0, false])
  })

  test('is told to a program, with the flag that confirms it', async () => {
    const LeadID = await made()
    const { code, err } = await piped(['delete_lead', '--LeadID', LeadID, '--confirm'])
    const [, token = ''] = /run the same command again with --confirmation (\S+), before/.exec(err) ?? []
    expect([code, await isThere(LeadID)]).toEqual([5, true])
    const done = await piped(['delete_lead', '--LeadID', LeadID, '--confirm', '--confirmation', token])
    expect([done.code, await isThere(LeadID)]).toEqual([0, false])
  })
})

test('a batch is a table of what became of each call', async () => {
  const calls = {
    Operations: [
      { Operation: 'create_a_lead', Input: { FirstName: 'a', LastName: 'b' } },
      { Operation: 'get_leads', Input: { LeadID: 'nobody' } },
    ],
  }
  const { code, out } = await onTerminal(['batch', '-'], { input: JSON.stringify(calls) })
  expect(code).toBe(4)
  expect(out.split('\n').map((line) => line.replaceAll(/\w{20}/g, 'ID').replaceAll(/ +/g, ' '))).toEqual([
    'Call Status RecordID ChangeID Remark',
    ' 0 200 ID ID',
    ' 1 404 There is no Lead "nobody", or none that you may see.',
    '',
  ])
})

test.each([80, 120])('connections are shown with their state, however little room there is: %i columns', (width) => {
  const record = newRecord(
    Connection,
    { id: '0k6v2m8q4d9x1c7b5n3t', at: '2026-11-15T09:30:00.000Z' },
    {
      Platform: 'hubspot',
      Label: 'HubSpot of Acme, Europe',
      Address: 'https://api-eu1.hubapi.com',
      SignIn: 'browser',
      SecretNames: ['clientId', 'clientSecret'],
      State: 'broken',
      Reason: 'HubSpot does not take the token.',
      Advice: 'Connect it again.',
      Account: 'https://api-eu1.hubapi.com 4711',
      ConnectedDate: '2026-11-15T09:30:00.000Z',
      Options: { lag: '1' },
    },
  )
  const [head = '', row] = rowLines([shown(Connection, record)], { width, paint: paintFor(process.stderr, { FORCE_COLOR: '0' }), record: Connection })
  expect(head.split(/ +/).slice(0, 5)).toEqual(['ConnectionID', 'Platform', 'Label', 'State', 'Account'])
  expect(row).toMatch(/^0k6v2m8q4d9x1c7b5n3t {2}hubspot .* broken .*https:/)
})
