import assert from 'node:assert/strict'
import type { Operation, Verb } from '../contract/operation.ts'
import { recordType } from '../contract/operations.ts'
import { referencesOf } from '../contract/record.ts'
import type { Context } from './behaviour.ts'
import { BOAT, type Row } from './records.ts'
import { CHILDREN } from './walk-children.ts'
import { everyFilter } from './walk-filters.ts'
import { JOURNAL, provenOfDeliveries } from './walk-journal.ts'
import { OWN_FIELDS } from './walk-own-fields.ts'
import { answered, changesOf, draftOf, idsOf, isDrafted, type Proof, type Proofs, propertiesOf, readBack, sample, valueFor } from './walk-samples.ts'
import { upsertProofs, WHOLE_RECORDS } from './walk-whole-records.ts'
import { WORKSPACES } from './walk-workspaces.ts'
import { appOf, changeOf, emptyBoat, pendingConnection } from './writes.ts'

/** Whether the platform does not let a field be written. */
const isClosed = (context: Context, { record }: Operation, input: string) =>
  record.fields[input]?.access === 'write' && !context.described(record.name, input).Writable

/** How that is refused: what it has no place for is unsupported, what can only be read is wrong input. */
const closedCode = (context: Context, { record }: Operation, input: string) =>
  context.described(record.name, input).Operators.length === 0 ? 'unsupported' : 'invalid_input'

/** A value in a draft is stored. */
const draftedBy =
  (input: string): Proof =>
  async (context, operation) => {
    const draft = await draftOf(context, operation)
    if (isClosed(context, operation, input))
      return void (await context.refused(
        context.crm.call(operation.id, { ...draft, [input]: valueFor(operation, input) }),
        closedCode(context, operation, input),
        { field: input },
      ))
    assert.notEqual(draft?.[input] ?? null, null, `the draft of ${operation.id} has a ${input}`)
    const made = await answered(context, operation, draft ?? {})
    const stored = await readBack(context, operation.record, made[operation.record.id])
    assert.deepEqual([made[input], stored?.[input]], [draft?.[input], draft?.[input]])
  }

/** Of two records, the one that is named is meant. */
const named: Proof = async (context, operation) => {
  const { record, effect } = operation
  const [first, second] = [await sample(context, record), await sample(context, record)]
  const before = [await readBack(context, record, first[record.id]), await readBack(context, record, second[record.id])]
  const answer = await answered(context, operation, { ...(operation.example as Row), ...changeOf(operation), [record.id]: first[record.id] })
  assert.equal(answer[record.id], first[record.id])
  if (effect === 'read') return
  assert.notDeepEqual(await readBack(context, record, first[record.id]), before[0])
  assert.deepEqual(await readBack(context, record, second[record.id]), before[1])
}

/** Of the fields of two objects, the one that is named is meant. */
const namedField: Proof = async (context, operation) => {
  const ids = [await emptyBoat(context), await emptyBoat(context)].flatMap((object) => ['HullLength', 'Harbour'].map((field) => `${object}.${field}`))
  const read = () => Promise.all(ids.map((id) => readBack(context, operation.record, id)))
  const [first, ...others] = await read()
  const { ObjectName, FieldName } = first ?? {}
  const answer = await answered(context, operation, { ObjectName, FieldName, ...changeOf(operation) })
  assert.deepEqual([answer.ObjectName, answer.FieldName], [ObjectName, FieldName])
  const [now, ...othersNow] = await read()
  assert.notDeepEqual(now, first)
  assert.deepEqual(othersNow, others)
}

/** A connection that waits is not in use: that it will be is shown by another field. */
const SHOWN_BY: { readonly [field: string]: string } = { 'Connection.InUse': 'UseWhenConnected' }

const changes: Proof = async (context, operation) => {
  const { record } = operation
  const wanted = await changesOf(context, record)
  for (const field of propertiesOf(record.name === 'CustomObject' ? { properties: wanted } : record.patch)) {
    const before = await sample(context, record)
    const id = before[record.id]
    if ((wanted[field] ?? null) === null && isClosed(context, operation, field)) {
      const write = context.crm.call(operation.id, { [record.id]: id, FieldsToUpdate: { [field]: valueFor(operation, field) } })
      await context.refused(write, closedCode(context, operation, field), { field: `FieldsToUpdate.${field}` })
      continue
    }
    assert.notEqual(wanted[field] ?? null, null, `there is a change for ${record.name}.${field}`)
    const answer = await answered(context, operation, { [record.id]: id, FieldsToUpdate: { [field]: wanted[field] } })
    const after = await readBack(context, record, id)
    const shownBy = SHOWN_BY[`${record.name}.${field}`] ?? field
    const value = (row: Row | undefined) => (record.userDefined && field in BOAT ? (row?.[record.userDefined] as Row | undefined)?.[field] : row?.[shownBy])
    assert.notDeepEqual(value(before), wanted[field])
    assert.deepEqual([value(answer), value(after), answer.UpdatedFields], [wanted[field], wanted[field], [field]], `${record.name}.${field}`)
  }
}

const revision: Proof = async (context, operation) => {
  const { record } = operation
  const row = await sample(context, record)
  const input = { [record.id]: row[record.id], ...changeOf(operation) }
  await context.refused(context.crm.call(operation.id, { ...input, IfRevision: Number(row.Revision) + 1 }), 'conflict')
  assert.deepEqual(await readBack(context, record, row[record.id]), row)
  await answered(context, operation, { ...input, IfRevision: row.Revision })
}

/** Two samples, and the filter that finds just these. */
async function pair(context: Context, { record }: Operation) {
  const ids = [(await sample(context, record))[record.id], (await sample(context, record))[record.id]]
  return { ids, Filters: { [record.id]: { in: ids } } }
}

/** The record behind each reference is shown under its name; null where the platform has no place for the reference. */
const included: Proof = async (context, operation) => {
  const { record, verb } = operation
  const row = await sample(context, record)
  const references = referencesOf(record)
  const Include = references.map(({ name }) => name)
  const asked = verb === 'get' ? { [record.id]: row[record.id] } : { Filters: { [record.id]: row[record.id] } }
  const answer = await answered(context, operation, { ...asked, Include })
  const one = verb === 'get' ? answer : ((answer.Records as Row[])[0] ?? {})
  for (const { name, field, refers } of references) {
    const behind = (one[name] as Row | null)?.[recordType(refers).id] ?? null
    // The owner may be a user of the CRM alone.
    if (refers !== 'User' || behind !== null) assert.equal(behind, row[field] ?? null, `${operation.id} ${name}`)
  }
  const without = await answered(context, operation, asked)
  const bare = verb === 'get' ? without : ((without.Records as Row[])[0] ?? {})
  assert.deepEqual(
    Object.keys(bare).filter((name) => Include.includes(name)),
    [],
  )
}

/** What was just written is there, from a mirror and from the platform itself. */
async function freshOrNot(context: Context, operation: Operation): Promise<void> {
  const { record, verb } = operation
  const row = await sample(context, record)
  const id = row[record.id]
  for (const Fresh of [true, false]) {
    const answer = await answered(context, operation, { Fresh, ...(verb === 'get' && { [record.id]: id }) })
    const found = verb === 'get' ? [answer] : ((answer.Records ?? answer.Recent) as Row[])
    assert.ok(found.some((one) => one[record.id] === id))
  }
}

const MANY: Proofs = {
  Filters: everyFilter,
  Include: included,
  Fresh: freshOrNot,
  async Limit(context, operation) {
    const { Filters } = await pair(context, operation)
    assert.equal(idsOf(await answered(context, operation, { Filters, Limit: 1 }), operation.record.id).length, 1)
  },
  async Cursor(context, operation) {
    const { ids, Filters } = await pair(context, operation)
    const first = await answered(context, operation, { Filters, Limit: 1 })
    const second = await answered(context, operation, { Filters, Limit: 1, Cursor: first.NextCursor })
    assert.deepEqual([...idsOf(first, operation.record.id), ...idsOf(second, operation.record.id)], ids.toReversed())
  },
  async OrderBy(context, operation) {
    const { ids, Filters } = await pair(context, operation)
    for (const [direction, order] of [
      ['asc', ids],
      ['desc', ids.toReversed()],
    ] as const) {
      assert.deepEqual(
        idsOf(await answered(context, operation, { Filters, OrderBy: `${operation.record.createdField} ${direction}` }), operation.record.id),
        order,
      )
    }
  },
  async Select(context, operation) {
    const { Filters } = await pair(context, operation)
    for (const field of propertiesOf(operation.record.stored)) {
      const [first] = (await answered(context, operation, { Filters, Select: [field] })).Records as Row[]
      assert.deepEqual(Object.keys(first ?? {}).sort(), [...new Set([operation.record.id, field])].sort())
    }
  },
}

/** The address that a person is sent to names the app, and where the CRM sends the browser back to. */
async function authorized(context: Context, operation: Operation): Promise<void> {
  const RedirectURI = 'http://127.0.0.1:8488/callback'
  const { Link } = await answered(context, operation, { ConnectionID: await pendingConnection(context), RedirectURI })
  const { searchParams } = new URL(String(Link))
  assert.deepEqual([searchParams.get('client_id'), searchParams.get('redirect_uri')], ['app', RedirectURI])
  await context.refused(answered(context, operation, { ConnectionID: 'nothing', RedirectURI }), 'not_found')
}

async function unknownState(context: Context, operation: Operation): Promise<void> {
  const { errors } = await context.refused(answered(context, operation, { State: 'other', Code: 'code' }), 'invalid_input')
  assert.deepEqual(
    errors?.map(({ field }) => field),
    ['State'],
  )
}

/** The inputs of each operation that are proven here, by what the operation does. */
const BY_VERB: { readonly [V in Verb]?: Proofs } = {
  get: { LeadID: named, OpportunityID: named, CaseID: named, CompanyID: named, ContactID: named, ObjectID: named, Include: included, Fresh: freshOrNot },
  getMany: MANY,
  getSummary: {
    Filters: everyFilter,
    Fresh: freshOrNot,
    async Forecast(context, operation) {
      assert.equal(((await answered(context, operation, { Forecast: true })).Forecast as Row[]).length, 12)
      assert.equal((await answered(context, operation, { Forecast: false })).Forecast, undefined)
    },
    async Ages(context, operation) {
      const { Open, OpenByAge } = await answered(context, operation, { Ages: true })
      const counts = (OpenByAge as Row[]).map(({ Count }) => Number(Count))
      assert.deepEqual([counts.length, counts.reduce((sum, count) => sum + count, 0)], [5, (Open as Row).Count])
    },
    async UserID(context, operation) {
      const [first, second] = [await context.as(), await context.as()]
      const { crm } = context
      for (const { userId: UserID } of [first, second]) assert.equal((await answered(context, operation, { UserID })).Total, 0)
      const row = await sample(context, operation.record)
      const { UserID } = await crm.users.getCurrent({})
      assert.ok(((await answered(context, operation, { UserID })).Recent as Row[]).some((recent) => recent[operation.record.id] === row[operation.record.id]))
    },
  },
  update: {
    LeadID: named,
    OpportunityID: named,
    CaseID: named,
    CompanyID: named,
    ContactID: named,
    ObjectID: named,
    FieldsToUpdate: changes,
    IfRevision: revision,
  },
  updateUser: { UserID: named, FieldsToUpdate: changes, IfRevision: revision },
  updateWorkspace: { WorkspaceID: named, FieldsToUpdate: changes, IfRevision: revision },
  updateWebhook: { WebhookID: named, FieldsToUpdate: changes, IfRevision: revision },
  delete: { LeadID: named, OpportunityID: named, CaseID: named, CompanyID: named, ContactID: named, ObjectID: named, IfRevision: revision },
  deleteWebhook: { WebhookID: named, IfRevision: revision },
  createConnection: {
    async Secrets(context, operation) {
      const made = await answered(context, operation, appOf(context.unique('app')))
      assert.deepEqual(made.SecretNames, ['clientId', 'clientSecret'])
      await context.refused(answered(context, operation, { ...appOf('none'), Secrets: { clientId: 'app' } }), 'invalid_input')
    },
  },
  updateConnection: { ConnectionID: named, FieldsToUpdate: changes, IfRevision: revision },
  deleteConnection: { ConnectionID: named, IfRevision: revision },
  testConnection: {
    async ConnectionID(context, operation) {
      const ConnectionID = await pendingConnection(context)
      const { Good, ...tested } = await answered(context, operation, { ConnectionID })
      assert.deepEqual([tested.ConnectionID, Good], [ConnectionID, false])
      await context.refused(answered(context, operation, { ConnectionID: 'nothing' }), 'not_found')
    },
  },
  authorizeConnection: { ConnectionID: authorized, RedirectURI: authorized },
  // Only a CRM gives a code: the tests with simulators have the success.
  completeConnection: { State: unknownState, Code: unknownState },
  createCustom: {
    async ObjectName(context, operation) {
      const ObjectName = context.unique('Boat')
      const { ObjectID } = await answered(context, operation, { ObjectName, Fields: {} })
      assert.equal((await readBack(context, operation.record, ObjectID))?.ObjectName, ObjectName)
    },
    async Fields(context, operation) {
      const { ObjectID } = await answered(context, operation, { ObjectName: context.boats, Fields: BOAT })
      const { Fields, Values } = (await readBack(context, operation.record, ObjectID)) ?? {}
      for (const [name, { Type, Label, Value }] of Object.entries(BOAT))
        assert.deepEqual([(Fields as Row)[name], (Values as Row)[name]], [{ Type, Label }, Value])
    },
  },
  updateField: {
    ObjectName: namedField,
    FieldName: namedField,
    async FieldsToUpdate(context, operation) {
      const ObjectName = await emptyBoat(context)
      for (const [name, value] of Object.entries({ Label: 'Length', Retired: true })) {
        const answer = await answered(context, operation, { ObjectName, FieldName: 'HullLength', FieldsToUpdate: { [name]: value } })
        const stored = await readBack(context, operation.record, `${ObjectName}.HullLength`)
        assert.deepEqual([answer[name], stored?.[name], answer.UpdatedFields], [value, value, [name]])
      }
    },
  },
  deleteField: { ObjectName: namedField, FieldName: namedField },
  ...OWN_FIELDS,
  ...WORKSPACES,
  revokeKey: {
    async KeyID(context, operation) {
      const [first, second] = [await context.as(), await context.as()]
      await answered(context, operation, { KeyID: first.keyId })
      await context.refused(first.crm.users.getCurrent({}), 'unauthenticated')
      await second.crm.users.getCurrent({})
    },
  },
  describe: {
    async RecordType(context, operation) {
      const { RecordTypes } = await answered(context, operation, { RecordType: 'Case' })
      assert.deepEqual(
        (RecordTypes as Row[]).map(({ Name }) => Name),
        ['Case'],
      )
    },
  },
  createKey: {
    async UserID(context, operation) {
      const { userId: UserID } = await context.as()
      const { KeyID } = await answered(context, operation, { UserID })
      assert.equal((await readBack(context, operation.record, KeyID))?.UserID, UserID)
    },
    ...Object.fromEntries(
      Object.entries({ Scopes: ['read:Lead'], Label: 'nightly', ExpiresDate: '2099-01-01T00:00:00.000Z', Confirm: 'deletes' }).map(
        ([input, value]): [string, Proof] => [
          input,
          async (context, operation) => {
            const { KeyID } = await answered(context, operation, { [input]: value })
            assert.deepEqual((await readBack(context, operation.record, KeyID))?.[input], value)
          },
        ],
      ),
    ),
  },
}

const BY_OPERATION: { readonly [operation: string]: Proofs } = {
  ...CHILDREN,
  ...WHOLE_RECORDS,
  ...JOURNAL,
  get_many_deliveries: provenOfDeliveries(MANY),
  get_many_attempts: provenOfDeliveries(MANY),
}

export function proofOf(operation: Operation, input: string): Proof | undefined {
  const proofs = BY_OPERATION[operation.id] ?? (operation.verb === 'upsert' ? upsertProofs(operation) : BY_VERB[operation.verb]) ?? {}
  if (Object.hasOwn(proofs, input)) return proofs[input]
  return isDrafted(operation, input) ? draftedBy(input) : undefined
}
