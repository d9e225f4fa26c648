import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

/** What the person is asked when a tool is called, without how long they have. */
async function questionFor(tool: string, input: object): Promise<string> {
  asked = []
  await talk.call(tool, input)
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatch(/\nIt can be confirmed until \d{4}-[^\n]+\.$/)
  return asked[0]?.replace(/\n[^\n]+$/, '') ?? ''
}

/** What deletes say, beginning with the record they are about. */
const DELETES: { readonly [tool: string]: (input: Ids) => string } = {
  delete_lead: ({ LeadID }) => `Delete Lead ${LeadID}?\nRemoves a lead with its notes and campaign memberships:\n- FirstName: Ada\n- LastName: Lovelace\n`,
  opportunity_delete: ({ OpportunityID }) => `Opportunity Delete ${OpportunityID}?\nRemoves an opportunity with its notes:\n- OpportunityName: `,
  case_delete: ({ CaseID }) => `Case Delete ${CaseID}?\nRemoves a case with its comments:\n- Subject: `,
  delete_company: ({ CompanyID }) => `Delete Company ${CompanyID}?\nRemoves a company with its notes, and empties the references to it:\n- CompanyName: `,
  delete_contact: ({ ContactID }) => `Delete Contact ${ContactID}?\nRemoves a contact with its notes, and empties the references to it:\n- FirstName: `,
  delete_custom_object: ({ ObjectID }) =>
    `Delete Custom Object ${ObjectID}?\nRemoves one record of a custom object; its definitions stay:\n- ObjectName: Boat\n`,
  remove_leads_from_campaign: ({ LeadID, CampaignID }) => `Remove Leads From Campaign?\nTakes the Lead ${LeadID} out of the Campaign ${CampaignID}.`,
}

const confirmable = TOOL_OPERATIONS.filter((operation) => 'ConfirmationToken' in optionSchemas(operation))

describe('the person is asked about what would really go', () => {
  test('by every tool that may have to be confirmed', async () => {
    expect(confirmable.map(({ id }) => id).sort()).toEqual([...Object.keys(DELETES), 'undo_change'].sort())
    for (const operation of confirmable) {
      const says = DELETES[operation.id]
      if (!says) continue
      const input = (await exampleInput(talk, operation)) as Ids
      const question = await questionFor(operation.id, input)
      expect(question.slice(0, says(input).length)).toBe(says(input))
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
    expect(await questionFor('undo_change', { ChangeID })).toMatch(new RegExp(`^Undo Change ${ChangeID}\\?\nRemoves the ${type} ${says[id]}:\n- \\w+: `))
  })

  test('when what hangs on a record is undone', async () => {
    const { LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    const noted = (await talk.call('add_notes_to_leads', { LeadID, Note: 'Called.' })).says
    const about = await questionFor('undo_change', { ChangeID: noted.ChangeID })
    expect(about).toContain(`Undo Change ${noted.ChangeID}?\nRemoves the Note ${noted.NoteID} from the Lead ${LeadID}:\n`)
    expect(about).toContain('\n- Note: Called.')
    const { CaseID } = await server.call('create_case', { Subject: 'Engine jams', Description: 'Again.' })
    const commented = (await talk.call('add_comment', { CaseID, Comment: 'Oiled.' })).says
    expect(await questionFor('undo_change', { ChangeID: commented.ChangeID })).toContain(
      `?\nRemoves the Comment ${commented.CommentID} from the Case ${CaseID}:\n`,
    )
  })

  test('when a lead that was added to a campaign is taken out of it again', async () => {
    const { LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    const { CampaignID } = await server.call('create_campaign', { CampaignName: 'Spring' })
    const { ChangeID } = (await talk.call('add_leads_to_campaign', { LeadID, CampaignID })).says
    expect(await questionFor('undo_change', { ChangeID })).toMatch(
      new RegExp(`^Undo Change ${ChangeID}\\?\nTakes the Lead ${LeadID} out of the Campaign ${CampaignID}[.:]`),
    )
  })
})
