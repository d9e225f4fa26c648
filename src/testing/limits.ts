import assert from 'node:assert/strict'
import type { CrmError } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import { behaviour, type Context, theme } from './behaviour.ts'
import { ADA, BOAT, engine, JAM, type Row } from './records.ts'

const SHORT = 'x'.repeat(LIMITS.text)
const LONG = 'y'.repeat(LIMITS.longText)

/** Fields that a create sets, with what a text in them may be made of. */
const TEXTS: readonly (readonly [operation: string, type: string, field: string, letter: string])[] = [
  ['create_a_lead', 'Lead', 'FirstName', 'x'],
  ['create_a_lead', 'Lead', 'LastName', 'x'],
  ['create_a_lead', 'Lead', 'Phone', '1'],
  ['create_opportunity', 'Opportunity', 'OpportunityName', 'x'],
  ['create_case', 'Case', 'Subject', 'x'],
  ['create_case', 'Case', 'Description', 'x'],
  ['create_campaign', 'Campaign', 'CampaignName', 'x'],
]

/** How long a text may be in a field: as long as the contract has it, unless the platform keeps less and says so. */
function longestIn({ described, lacks }: Context, type: string, field: string): number {
  const { MaxLength, Type } = described(type, field)
  const most = Type === 'longText' ? LIMITS.longText : LIMITS.text
  assert.ok(MaxLength !== null && (lacks('full fields') ? MaxLength <= most : MaxLength === most), `${type}.${field} holds ${MaxLength}`)
  return MaxLength
}

/** The longest note or comment there may be: where that is less than the contract has, the refusal of a longer one says so. */
async function longestOf({ lacks, refused }: Context, field: string, call: (text: string) => Promise<unknown>): Promise<string> {
  const error = await call(LONG).then(
    () => undefined,
    (reason: CrmError) => reason,
  )
  if (!error) return LONG
  assert.ok(lacks('full fields'), String(error))
  const { errors } = await refused(Promise.reject(error), 'invalid_input', { field, code: 'length' })
  const [, most] = /at most (\d+) (?:characters|bytes)/.exec(errors?.[0]?.expected ?? '') ?? []
  assert.ok(most, `The refusal says how long a ${field} may be`)
  return LONG.slice(0, Number(most))
}

export const limits = theme('limits', [
  behaviour('a text of the maximum length is stored, one character more is refused', async (context) => {
    const { crm, refused, unique } = context
    const drafts: { readonly [type: string]: Row } = { Lead: ADA, Opportunity: engine(context), Case: JAM }
    for (const [operation, type, field, letter] of TEXTS) {
      // Campaigns of the same name are not welcome everywhere.
      const word = type === 'Campaign' ? unique('Fair') : ''
      const text = word.padEnd(longestIn(context, type, field), letter)
      const create = (value: string) => crm.call(operation, { ...drafts[type], [field]: value }) as Promise<Row>
      // Platforms that validate telephone numbers refuse one of this length.
      if (field !== 'Phone' || !context.lacks('any phone')) assert.equal((await create(text))[field], text)
      await refused(create(`${text}${letter}`), 'invalid_input', { field, code: 'length' })
    }
    const Email = `${'x'.repeat(longestIn(context, 'Lead', 'Email'))}@example.com`
    await refused(crm.leads.create({ ...ADA, Email }), 'invalid_input', { field: 'Email', code: 'length' })
    await refused(crm.users.create({ Name: `${SHORT}x` }), 'invalid_input', { field: 'Name', code: 'length' })
  }),

  behaviour('a character outside the basic plane counts once', async (context) => {
    const { crm, refused } = context
    const FirstName = '😀'.repeat(longestIn(context, 'Lead', 'FirstName'))
    const answer = await crm.leads.create({ ...ADA, FirstName }).catch((error: CrmError) => error)
    if (answer instanceof Error && context.lacks('full fields')) {
      // A platform may count UTF-16 code units, and then refuses these as too many.
      await refused(Promise.reject(answer), 'platform_rejected', { field: 'FirstName', code: 'length' })
      const half = '😀'.repeat(FirstName.length / 4)
      assert.equal((await crm.leads.create({ ...ADA, FirstName: half })).FirstName, half)
    } else assert.equal((answer as Row).FirstName, FirstName)
    await refused(crm.leads.create({ ...ADA, FirstName: `${FirstName}x` }), 'invalid_input', { field: 'FirstName', code: 'length' })
  }),

  behaviour('notes and comments hold 32,000 characters, or what the platform says, and no more', async (context) => {
    const { crm, refused } = context
    const { CaseID } = await crm.cases.create(JAM)
    const { LeadID } = await crm.leads.create(ADA)
    const { OpportunityID } = await crm.opportunities.create(engine(context))
    const limited: readonly (readonly [field: string, call: (text: string) => Promise<unknown>])[] = [
      ['Comment', (Comment) => crm.cases.addComment({ CaseID, Comment })],
      ['Note', (Note) => crm.leads.addNote({ LeadID, Note })],
      ['Note', (Note) => crm.opportunities.addNote({ OpportunityID, Note })],
    ]
    for (const [field, call] of limited) {
      const text = await longestOf(context, field, call)
      assert.equal(((await call(text)) as Row)[field], text)
      await refused(call(`${text}y`), 'invalid_input', { field, code: 'length' })
    }
    const Description = 'y'.repeat(longestIn(context, 'Case', 'Description') + 1)
    await refused(crm.cases.update({ CaseID, FieldsToUpdate: { Description } }), 'invalid_input', { field: 'FieldsToUpdate.Description', code: 'length' })
  }),

  behaviour('a user-defined text holds 32,000 characters, and no more', async ({ crm, boats: ObjectName, refused }) => {
    const { ObjectID } = await crm.customObjects.create({ ObjectName, Fields: BOAT })
    assert.equal((await crm.customObjects.update({ ObjectID, FieldsToUpdate: { Harbour: LONG } })).Values.Harbour, LONG)
    await refused(crm.customObjects.update({ ObjectID, FieldsToUpdate: { Harbour: `${LONG}y` } }), 'invalid_input', { field: 'FieldsToUpdate.Harbour' })
    await refused(crm.customObjects.create({ ObjectName, Fields: { Harbour: { Value: `${LONG}y` } } }), 'invalid_input', { field: 'Fields.Harbour' })
    await refused(crm.customObjects.create({ ObjectName, Fields: { Masts: { Type: 'Number', Label: `${SHORT}x` } } }), 'invalid_input', {
      field: 'Fields.Masts.Label',
    })
  }),

  behaviour('a text with a NUL or half a character is refused in every place', async ({ crm, boats, refused }) => {
    const { LeadID } = await crm.leads.create(ADA)
    const { ObjectID } = await crm.customObjects.create({ ObjectName: boats, Fields: BOAT })
    for (const text of ['a\u0000b', '\u0000', 'a\ud800b', '\udc00']) {
      await refused(crm.leads.create({ ...ADA, FirstName: text }), 'invalid_input', { field: 'FirstName' })
      await refused(crm.leads.create({ ...ADA, Email: `${text}@example.com` }), 'invalid_input', { field: 'Email' })
      await refused(crm.leads.update({ LeadID, FieldsToUpdate: { Phone: text } }), 'invalid_input', { field: 'FieldsToUpdate.Phone' })
      await refused(crm.leads.addNote({ LeadID, Note: text }), 'invalid_input', { field: 'Note' })
      await refused(crm.leads.getMany({ Filters: { FirstName: text } }), 'invalid_input', { field: 'Filters.FirstName' })
      await refused(crm.leads.getMany({ Filters: { FirstName: { contains: text } } }), 'invalid_input', { field: 'Filters.FirstName' })
      await refused(crm.customObjects.update({ ObjectID, FieldsToUpdate: { Harbour: text } }), 'invalid_input', { field: 'FieldsToUpdate.Harbour' })
      await refused(crm.leads.get({ LeadID: text }), 'invalid_input', { field: 'LeadID' })
    }
  }),

  behaviour('ids are at most 255 long, filters on text at most 32,000, and what contains and startsWith look for 256', async ({ crm, refused }) => {
    await refused(crm.leads.get({ LeadID: SHORT }), 'not_found')
    await refused(crm.leads.get({ LeadID: `${SHORT}x` }), 'invalid_input', { field: 'LeadID', code: 'length' })
    assert.deepEqual((await crm.leads.getMany({ Filters: { FirstName: LONG } })).Records, [])
    await refused(crm.leads.getMany({ Filters: { FirstName: `${LONG}y` } }), 'invalid_input', { field: 'Filters.FirstName' })
    const sought = 'x'.repeat(LIMITS.searchText)
    for (const operator of ['contains', 'startsWith'] as const) {
      assert.deepEqual((await crm.leads.getMany({ Filters: { FirstName: { [operator]: sought } } })).Records, [])
      await refused(crm.leads.getMany({ Filters: { FirstName: { [operator]: `${sought}y` } } }), 'invalid_input', { field: `Filters.FirstName.${operator}` })
    }
  }),
])
