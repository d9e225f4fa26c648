import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isDestructive, type Operation, overwrites } from '../../src/contract/operation.ts'
import { lossLines } from '../../src/contract/plan-loss.ts'
import { questionOf } from '../../src/transports/mcp/confirmation-question.ts'
import { optionSchemas } from '../../src/transports/mcp/option-arguments.ts'
import { type Talk, talkTo } from '../support/mcp.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { exampleInput, TOOL_OPERATIONS } from '../support/tool-examples.ts'

let server: TestServer
let talk: Talk
let asked: string[] = []

beforeAll(async () => {
  server = await startServer()
  talk = await talkTo(server.url, server.key, {
    query: '?confirm=deletes',
    options: { capabilities: { elicitation: { form: {} } } },
    prepare: (client) =>
      client.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(params.message)
        return { action: 'decline' }
      }),
    atEnd: afterAll,
  })
})
afterAll(() => server.close())

type Ids = { readonly [name: string]: unknown }

/** What the person is asked when a tool is called, without how it is undone and how long they have. */
async function questionFor(tool: string, input: object): Promise<string> {
  asked = []
  await talk.call(tool, input)
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatch(/\nundo_change can take it back, by the ChangeID of its answer\.\nIt can be confirmed until \d{4}-[^\n]+\.$/)
  return asked[0]?.replace(/\n[^\n]+\n[^\n]+$/, '') ?? ''
}

/** A record as the question names it. */
const named = (id: unknown, name = '[^"\\n]+') => `"${name}" \\(${id}\\)`

/** What deletes say, beginning with the record they are about. */
const DELETES: { readonly [tool: string]: (input: Ids) => string } = {
  delete_lead: ({ LeadID }) =>
    `Delete Lead ${named(LeadID, 'Ada Lovelace')}\\?\nRemoves a lead with its notes and campaign memberships:\n- FirstName: "Ada"\n- LastName: "Lovelace"\n`,
  opportunity_delete: ({ OpportunityID }) => `Opportunity Delete ${named(OpportunityID)}\\?\nRemoves an opportunity with its notes:\n- OpportunityName: "`,
  case_delete: ({ CaseID }) => `Case Delete ${named(CaseID)}\\?\nRemoves a case with its comments:\n- Subject: "`,
  delete_company: ({ CompanyID }) =>
    `Delete Company ${named(CompanyID)}\\?\nRemoves a company with its notes, and empties the references to it:\n- CompanyName: "`,
  delete_contact: ({ ContactID }) =>
    `Delete Contact ${named(ContactID)}\\?\nRemoves a contact with its notes, and empties the references to it:\n- FirstName: "`,
  delete_custom_object: ({ ObjectID }) =>
    `Delete Custom Object ${named(ObjectID)}\\?\nRemoves one record of a custom object; its definitions stay:\n- ObjectName: "Boat"\n`,
  remove_leads_from_campaign: ({ LeadID, CampaignID }) =>
    `Remove Leads From Campaign\\?\nTakes the Lead ${named(LeadID)} out of the Campaign ${named(CampaignID)}\\.`,
}

const confirmable = TOOL_OPERATIONS.filter((operation) => 'ConfirmationToken' in optionSchemas(operation))

describe('the person is asked about what would really go', () => {
  test('by every tool that may have to be confirmed', async () => {
    expect(
      confirmable
        .filter(isDestructive)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...Object.keys(DELETES), 'undo_change'].sort())
    expect(confirmable.filter((operation) => !isDestructive(operation)).every(overwrites)).toBe(true)
    for (const operation of confirmable.filter(isDestructive)) {
      const says = DELETES[operation.id]
      if (!says) continue
      const input = (await exampleInput(talk, operation)) as Ids
      expect(await questionFor(operation.id, input)).toMatch(new RegExp(`^${says(input)}`))
    }
  })

  test.each([
    ['create_a_lead', 'Lead', 'LeadID'],
    ['create_opportunity', 'Opportunity', 'OpportunityID'],
    ['create_case', 'Case', 'CaseID'],
    ['create_custom_object', 'CustomObject', 'ObjectID'],
    ['create_campaign', 'Campaign', 'CampaignID'],
  ])('when %s is undone', async (tool, type, id) => {
    const { example } = TOOL_OPERATIONS.find((operation) => operation.id === tool) ?? {}
    const { says } = await talk.call(tool, example as object)
    const { ChangeID } = says
    expect(await questionFor('undo_change', { ChangeID })).toMatch(new RegExp(`^Undo Change ${ChangeID}\\?\nRemoves the ${type} ${named(says[id])}:\n- \\w+: `))
  })

  test('when what hangs on a record is undone', async () => {
    const { LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    const noted = (await talk.call('add_notes_to_leads', { LeadID, Note: 'Called.' })).says
    const about = await questionFor('undo_change', { ChangeID: noted.ChangeID })
    expect(about).toContain(`Undo Change ${noted.ChangeID}?\nRemoves the Note ${noted.NoteID} from the Lead "Ada Lovelace" (${LeadID}):\n`)
    expect(about).toContain('\n- Note: "Called."')
    const { CaseID } = await server.call('create_case', { Subject: 'Engine jams', Description: 'Again.' })
    const commented = (await talk.call('add_comment', { CaseID, Comment: 'Oiled.' })).says
    expect(await questionFor('undo_change', { ChangeID: commented.ChangeID })).toContain(
      `?\nRemoves the Comment ${commented.CommentID} from the Case "Engine jams" (${CaseID}):\n`,
    )
  })

  test('when a lead that was added to a campaign is taken out of it again', async () => {
    const { LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    const { CampaignID } = await server.call('create_campaign', { CampaignName: 'Spring' })
    const { ChangeID } = (await talk.call('add_leads_to_campaign', { LeadID, CampaignID })).says
    expect(await questionFor('undo_change', { ChangeID })).toMatch(
      new RegExp(`^Undo Change ${ChangeID}\\?\nTakes the Lead ${named(LeadID, 'Ada Lovelace')} out of the Campaign ${named(CampaignID, 'Spring')}[.:]`),
    )
  })

  test('with the counts of what goes with it, and of what loses its reference to it', async () => {
    const { LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    const { CampaignID } = await server.call('create_campaign', { CampaignName: 'Fair' })
    for (const Note of ['Called.', 'Wrote.']) await server.call('add_notes_to_leads', { LeadID, Note })
    await server.call('add_leads_to_campaign', { LeadID, CampaignID })
    expect(await questionFor('delete_lead', { LeadID })).toMatch(/\nWith it go 2 notes and 1 membership\.$/)
    const { CompanyID } = await server.call('create_company', { CompanyName: 'Engines' })
    await server.call('create_contact', { LastName: 'Babbage', CompanyID })
    for (const OpportunityName of ['First', 'Second'])
      await server.call('create_opportunity', { OpportunityName, Stage: 'Prospecting', CloseDate: '2030-01-01', CompanyID })
    expect(await questionFor('delete_company', { CompanyID })).toMatch(
      /\nThe reference to it is emptied in (1 contact and 2 opportunities|2 opportunities and 1 contact)\.$/,
    )
  })

  test('with what loses its reference as a list, where it is of several types', () => {
    const WouldWrite = { Emptied: { Opportunity: 1, Case: 1, Contact: 2 } }
    expect(lossLines({ Operation: 'delete_company', Preview: { WouldWrite } })).toEqual([
      'The reference to it is emptied in 1 opportunity, 1 case and 2 contacts.',
    ])
  })

  test('with values that cannot pose as another line or hide', async () => {
    const LastName = 'X\n- Harmless: true\nIt can be confirmed until 2099.\u202egnihton\u200b"'
    const { LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName })
    const question = await questionFor('delete_lead', { LeadID })
    const quotedName = '"X\\n- Harmless: true\\nIt can be confirmed until 2099.\\u202egnihton\\u200b\\""'
    expect(question.split('\n')).toContain(`- LastName: ${quotedName}`)
    expect(question.split('\n')[0]).toBe(`Delete Lead "Ada ${quotedName.slice(1)} (${LeadID})?`)
    expect(question).not.toMatch(/[\u202e\u200b]/)
  })

  test('and whether it can be undone', () => {
    const operation = TOOL_OPERATIONS.find(({ id }) => id === 'delete_lead') as Operation
    const plan = { PlanID: 'p', Operation: 'delete_lead', RecordType: 'Lead', RecordID: 'l', ExpiresDate: '2030-01-01T00:00:00.000Z' }
    expect(questionOf(operation, { ...plan, Preview: { Undoable: false } })).toContain('\nIt cannot be undone.\n')
  })
})
