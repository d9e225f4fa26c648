import assert from 'node:assert/strict'
import type { Operation } from '../contract/operation.ts'
import { recordType } from '../contract/operations.ts'
import type { Context } from './behaviour.ts'
import { ADA, email, engine, type Row } from './records.ts'
import { answered, draftOf, operation as named, type Proof, type Proofs, propertiesOf, readBack, valueFor } from './walk-samples.ts'

const CREATES: { readonly [type: string]: string } = {
  Lead: 'create_a_lead',
  Opportunity: 'create_opportunity',
  Case: 'create_case',
  Company: 'create_company',
  Contact: 'create_contact',
}

/** What records are matched by where the platform has no place for ExternalID. */
const OTHERWISE: { readonly [type: string]: string } = {
  Lead: 'Email',
  Opportunity: 'OpportunityName',
  Case: 'Subject',
  Company: 'CompanyName',
  Contact: 'Email',
}

/** A draft with a value in everything, and a field that tells it from all others. */
export async function upserted(context: Context, type: string): Promise<{ readonly draft: Row; readonly match: string; readonly MatchBy: Row }> {
  const draft = (await draftOf(context, named(CREATES[type] as string))) ?? {}
  const hasExternalId = context.described(type, 'ExternalID').Writable
  const match = hasExternalId ? 'ExternalID' : (OTHERWISE[type] as string)
  const own = match === 'Email' ? email(context) : context.unique('id')
  return { draft: { ...draft, [match]: own }, match, MatchBy: hasExternalId ? {} : { MatchBy: [match] } }
}

/** A value that is given is stored, in a new record. */
const storedBy =
  (input: string): Proof =>
  async (context, operation) => {
    const { record } = operation
    const { draft, MatchBy } = await upserted(context, record.name)
    const described = context.described(record.name, input)
    if (!described.Writable) {
      const code = described.Operators.length === 0 ? 'unsupported' : 'invalid_input'
      return void (await context.refused(context.crm.call(operation.id, { ...draft, ...MatchBy, [input]: valueFor(operation, input) }), code, { field: input }))
    }
    const made = await answered(context, operation, { ...draft, ...MatchBy })
    const stored = await readBack(context, record, made[record.id])
    assert.deepEqual([made.Created, made[input], stored?.[input]], [true, draft[input], draft[input]])
  }

/** None is there: created. One: updated. Several: refused. */
const matched: Proof = async (context, operation) => {
  const { record } = operation
  const { draft, match } = await upserted(context, record.name)
  const text = OTHERWISE[record.name] === match || record.name === 'Lead' || record.name === 'Contact' ? 'LastName' : (OTHERWISE[record.name] as string)
  const name = record.fields[text] ? text : 'Description'
  const first = await answered(context, operation, { ...draft, MatchBy: [match] })
  const second = await answered(context, operation, { [match]: draft[match], [name]: 'Otherwise', MatchBy: [match] })
  assert.deepEqual([first.Created, second.Created, second[record.id], second[name]], [true, false, first[record.id], 'Otherwise'])
  const again = await answered(context, operation, { [match]: draft[match], [name]: 'Otherwise', MatchBy: [match] })
  assert.deepEqual([again.Created, again.Revision], [false, second.Revision])
  await context.refused(context.crm.call(operation.id, { [match]: draft[match], MatchBy: ['Nothing'] }), 'invalid_input', { field: 'MatchBy.0' })
}

export const upsertProofs = ({ input }: Operation): Proofs =>
  Object.fromEntries(propertiesOf(input).map((name) => [name, name === 'MatchBy' ? matched : storedBy(name)]))

const BOAT = (registration: string, length: number) => ({
  Registration: { Type: 'String', Label: 'Registration', Value: registration },
  HullLength: { Type: 'Number', Label: 'Hull length', Value: length },
})

const upsertedObject: Proof = async (context, operation) => {
  const [ObjectName, registration] = [context.unique('Boat'), context.unique('id')]
  const upsert = (length: number) => answered(context, operation, { ObjectName, Fields: BOAT(registration, length), MatchBy: ['Registration'] })
  const [first, second] = [await upsert(7), await upsert(8)]
  assert.deepEqual([first.Created, second.Created, second.ObjectID, second.ObjectName], [true, false, first.ObjectID, ObjectName])
  const stored = await readBack(context, operation.record, first.ObjectID)
  assert.deepEqual(stored?.Values, { Registration: registration, HullLength: 8 })
  const { ObjectID } = await answered(context, operation, { ObjectName, Fields: BOAT(context.unique('id'), 8), MatchBy: ['Registration'] })
  await context.refused(context.crm.call(operation.id, { ObjectName, Fields: BOAT(registration, 8), MatchBy: ['HullLength'] }), 'conflict', {
    field: 'MatchBy',
  })
  assert.notEqual(ObjectID, first.ObjectID)
}

const lead = async (context: Context) => (await context.crm.leads.create({ ...ADA, Email: email(context) })).LeadID

/** The lead that is named becomes a company, a contact and an opportunity. */
const converted: Proof = async (context, operation) => {
  const { crm } = context
  const [LeadID, other] = [await lead(context), await lead(context)]
  const made = await answered(context, operation, { LeadID, Opportunity: engine(context) })
  assert.equal(made.LeadID, LeadID)
  const company = await crm.companies.get({ CompanyID: made.CompanyID as string })
  const contact = await crm.contacts.get({ ContactID: made.ContactID as string })
  const opportunity = await crm.opportunities.get({ OpportunityID: made.OpportunityID as string })
  assert.deepEqual([contact.FirstName, contact.LastName, contact.CompanyID], [ADA.FirstName, ADA.LastName, company.CompanyID])
  assert.equal(opportunity.OpportunityName, engine(context).OpportunityName)
  if (context.described('Opportunity', 'CompanyID').Writable) assert.equal(opportunity.CompanyID, company.CompanyID)
  assert.equal((await crm.leads.get({ LeadID: other })).LeadID, other)
}

/** Records that are there already are used. */
const convertedInto: Proof = async (context, operation) => {
  const { crm, unique } = context
  const { CompanyID } = await crm.companies.create({ CompanyName: unique('Engines') })
  const made = await answered(context, operation, { LeadID: await lead(context), CompanyID })
  assert.deepEqual([made.CompanyID, made.OpportunityID], [CompanyID, null])
  const { ContactID } = await crm.contacts.create({ LastName: 'Babbage', Email: email(context), CompanyID })
  const again = await answered(context, operation, { LeadID: await lead(context), CompanyID, ContactID })
  assert.deepEqual([again.CompanyID, again.ContactID], [CompanyID, ContactID])
}

type Hit = { readonly RecordType: string; readonly Record: Row; readonly Matched: readonly string[] }

/** Tries until it holds: the search of a CRM may lag. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = 100; ; left--) {
    try {
      return await attempt()
    } catch (error) {
      if (left === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

/** Records of several types by a word that only they have. */
const searched: Proof = async (context, operation) => {
  const { crm, unique } = context
  // The number of one word is not a part of another's.
  const word = unique('Xylo').toLowerCase().replace(/\d+$/, 'q$&q')
  const { LeadID } = await crm.leads.create({ ...ADA, LastName: word })
  const { CompanyID } = await crm.companies.create({ CompanyName: `${word} works` })
  const ids = (answer: Row) => (answer.Records as Hit[]).map(({ RecordType, Record }) => Record[recordType(RecordType).id]).sort()
  const all = await eventually(async () => {
    const answer = await answered(context, operation, { Text: word })
    assert.deepEqual(ids(answer), [LeadID, CompanyID].sort())
    return answer
  })
  assert.ok((all.Records as Hit[]).every(({ Matched }) => Matched.length > 0))
  assert.deepEqual(ids(await answered(context, operation, { Text: word, RecordTypes: ['Company'] })), [CompanyID])
  const first = await answered(context, operation, { Text: word, Limit: 1 })
  const second = await answered(context, operation, { Text: word, Limit: 1, Cursor: first.NextCursor })
  assert.deepEqual([...ids(first), ...ids(second)].sort(), [LeadID, CompanyID].sort())
  assert.equal(second.NextCursor, null)
  await eventually(async () => assert.deepEqual(ids(await answered(context, operation, { Text: word, Fresh: true })), [LeadID, CompanyID].sort()))
  assert.deepEqual(ids(await answered(context, operation, { Text: `${word} nothing-has-this` })), [])
}

export const WHOLE_RECORDS: { readonly [operation: string]: Proofs } = {
  upsert_custom_object: { ObjectName: upsertedObject, Fields: upsertedObject, MatchBy: upsertedObject },
  convert_lead: { LeadID: converted, Opportunity: converted, CompanyID: convertedInto, ContactID: convertedInto },
  search: { Text: searched, RecordTypes: searched, Limit: searched, Cursor: searched, Fresh: searched },
}
