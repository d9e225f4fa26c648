import assert from 'node:assert/strict'
import type { Operation, Verb } from '../contract/operation.ts'
import { recordType } from '../contract/operations.ts'
import { type Behaviour, behaviour, type Context, theme } from './behaviour.ts'
import { refusalsOf } from './dry-refusals.ts'
import { beginning, everything } from './everything.ts'
import { refusesToRestore } from './lacking.ts'
import { ADA, BOAT, hook, phone, RARE, type Row } from './records.ts'
import { propertiesOf } from './walk-samples.ts'
import { askedOf, callConfirmed, changesSomething, lastChange, mainLines, needsOf, WRITING } from './writes.ts'

interface DryRun {
  readonly DryRun: true
  readonly WouldWrite: Row
  readonly Difference: { readonly [field: string]: { readonly From: unknown; readonly To: unknown } }
}

const dryRun = (crm: Context['crm'], operation: string, input: unknown, idempotencyKey?: string) =>
  crm.call(operation, input, { dryRun: true, ...(idempotencyKey !== undefined && { idempotencyKey }) }) as Promise<DryRun>

const isMoment = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)

/** Equal but for the moment it was done, which only the real run knows. */
function alike(foreseen: unknown, real: unknown, what: string): void {
  if (isMoment(foreseen) && isMoment(real)) return
  assert.deepEqual(foreseen, real, what)
}

/** Fields that such a platform sets itself, so that a dry run cannot predict them. */
const ITS_OWN = ['CreatedDate', 'UpdatedDate', 'Revision', 'AuthorID']

/** What else an operation makes: what a lead is converted into, and the first admin of a workspace. */
const FURTHER: { readonly [V in Verb]?: readonly string[] } = { convert: ['CompanyID', 'ContactID'], createWorkspace: ['UserID'] }

/** The real answer equals that of the dry run, except for generated ids and secrets. */
function assertPredicted({ lacks, derives }: Context, operation: Operation, input: Row, would: Row, real: Row): void {
  assert.deepEqual(Object.keys(would).sort(), Object.keys(real).sort())
  for (const [name, value] of Object.entries(real)) {
    const made =
      name === operation.shownOnce ||
      ([operation.record.id, 'NoteID', 'CommentID', ...(FURTHER[operation.verb] ?? [])].includes(name) && input[name] === undefined)
    if (made && would[name] === null) assert.equal(typeof value, 'string', name)
    else if (lacks('predictable dry run') && ITS_OWN.includes(name) && would[name] === null) continue
    else if (derives(operation.record.name, name)) assert.equal(would[name], null, `${operation.id} ${name} cannot be foreseen`)
    else alike(would[name], value, `${operation.id} ${name}`)
  }
}

/** The fields that a line of the audit says are others now, what every change sets, what the platform derives and new ids left out. */
function differencesIn({ derives }: Context, line: Row): DryRun['Difference'] {
  const type = recordType(line.RecordType as string)
  const flat = (image: unknown): Row => {
    const { Values, ...own } = (image ?? {}) as Row
    return { ...own, ...(Values as Row | undefined) }
  }
  const [before, after] = [flat(line.Before), flat(line.After)]
  const ignored = [type.id, type.createdField, 'UpdatedDate', 'Revision', 'NoteID', 'CommentID']
  return Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((name) => !ignored.includes(name) && !derives(type.name, name))
      .map((name) => [name, { From: before[name] ?? null, To: after[name] ?? null }] as const)
      .filter(([, { From, To }]) => JSON.stringify(From) !== JSON.stringify(To)),
  )
}

const dryRunOf = (operation: Operation): Behaviour =>
  behaviour(
    `${operation.name}: a dry run says what the real run writes, and leaves no trace`,
    async (context) => {
      const { crm, as, unique } = context
      const since = await beginning(context)
      const { input } = await askedOf(context, operation)
      const me = await as({ role: 'admin' })
      const defines = ['CustomObject', 'Definition'].includes(operation.record.name)
      const before = await everything(crm, since, defines)
      const { WouldWrite, Difference } = await dryRun(me.crm, operation.id, input, unique('key'))
      assert.deepEqual(await everything(crm, since, defines), before)

      const real = await callConfirmed(context, me.crm, operation, input)
      assertPredicted(context, operation, input, WouldWrite, real)
      const lines = mainLines((await crm.changes.getMany({ Filters: { UserID: me.userId } })).Records)
      assert.equal(lines.length, changesSomething(context, operation) ? 1 : 0)
      const expected = lines[0] ? differencesIn(context, lines[0]) : {}
      const foreseen = (name: string) => !(context.lacks('predictable dry run') && ITS_OWN.includes(name))
      assert.deepEqual(Object.keys(Difference).filter(foreseen).sort(), Object.keys(expected).filter(foreseen).sort())
      for (const [name, { From, To }] of Object.entries(expected).filter(([name]) => foreseen(name))) {
        alike(Difference[name]?.From, From, `${name}.From`)
        alike(Difference[name]?.To, To, `${name}.To`)
      }
    },
    { ...needsOf(operation), sentOnce: operation.verb === 'convert' },
  )

/** All members of a refusal. */
async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  const answer = await call.then(
    (answer) => assert.fail(`was answered with ${JSON.stringify(answer)}`),
    (error: Row) => error,
  )
  return [answer.code, answer.message, answer.errors, answer.hint]
}

const refusedAlike = (operation: Operation): Behaviour =>
  behaviour(
    `${operation.name}: a dry run is refused whenever the real run is, in the same words and without a trace`,
    async (context) => {
      const refusals = await refusalsOf(context, operation)
      const since = await beginning(context)
      const before = await everything(context.crm, since)
      const dryRefusals: unknown[] = []
      for (const { crm, input, code } of refusals) {
        dryRefusals.push(await refusalOf(dryRun(crm, operation.id, input)))
        assert.equal((dryRefusals.at(-1) as unknown[])[0], code, JSON.stringify([input, dryRefusals.at(-1)]))
      }
      assert.deepEqual(await everything(context.crm, since), before)
      for (const [i, { crm, input }] of refusals.entries())
        assert.deepEqual(dryRefusals[i], await refusalOf(crm.call(operation.id, input)), JSON.stringify(input))
    },
    needsOf(operation),
  )

export const dryRuns = theme('dry run', [
  ...WRITING.map(dryRunOf),
  ...WRITING.map(refusedAlike),

  behaviour('every operation that takes IfRevision is tried with a stale one', async (context) => {
    for (const operation of WRITING.filter(({ input }) => propertiesOf(input).includes('IfRevision')))
      assert.ok(
        (await refusalsOf(context, operation)).some(({ input, code }) => input.IfRevision !== undefined && code === 'conflict'),
        operation.id,
      )
  }),

  behaviour('a dry run of what would change nothing says so', async ({ crm, unique }) => {
    const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
    const { LeadID } = await crm.leads.create(ADA)
    const membership = await crm.leads.addToCampaign({ LeadID, CampaignID })
    const { WouldWrite, Difference } = await dryRun(crm, 'add_leads_to_campaign', { LeadID, CampaignID })
    assert.deepEqual([{ ...WouldWrite, CreatedDate: WouldWrite.CreatedDate ?? membership.CreatedDate }, Difference], [membership, {}])
  }),

  behaviour('a dry run of an undo shows the record as it would be', async (context) => {
    const { crm } = context
    const lead = await crm.leads.create(ADA)
    const { LeadID } = lead
    await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) } })
    const update = await lastChange(context, LeadID)
    const back = await dryRun(crm, 'undo_change', { ChangeID: update.ChangeID })
    assert.deepEqual([(back.WouldWrite.Record as Row).Phone, back.Difference], [ADA.Phone, { Phone: { From: phone(1), To: ADA.Phone } }])
    await crm.leads.delete({ LeadID })
    if (context.lacks('restore')) return refusesToRestore(context, LeadID)
    const removal = await lastChange(context, LeadID)
    const restored = await dryRun(crm, 'undo_change', { ChangeID: removal.ChangeID })
    assert.deepEqual([(restored.WouldWrite.Record as Row | null)?.LeadID, (restored.WouldWrite.Record as Row | null)?.Phone], [LeadID, phone(1)])
  }),

  behaviour('a dry run defines no fields', async ({ crm, unique, refused }) => {
    const ObjectName = unique('Boat')
    await dryRun(crm, 'create_custom_object', { ObjectName, Fields: BOAT })
    await refused(crm.customObjects.create({ ObjectName, Fields: { Harbour: { Value: 'Kiel' } } }), 'invalid_input', { code: 'missing' })
  }),

  behaviour('a dry run shows no secret, and none that it has shown is good', async ({ crm, unique }) => {
    for (const [operation, secret, input] of [
      ['create_key', 'Key', {}],
      ['create_webhook', 'Secret', { URL: hook(unique('hook')) }],
    ] as const)
      assert.equal((await dryRun(crm, operation, input)).WouldWrite[secret], null)
  }),

  behaviour('a read is answered as ever, but for one that sends something', async ({ crm, refused }) => {
    const { LeadID } = await crm.leads.create(ADA)
    assert.deepEqual(await crm.leads.get({ LeadID }, { dryRun: true }), await crm.leads.get({ LeadID }))
    const { WebhookID } = await crm.webhooks.create({ URL: hook('x'), EventTypes: [RARE], Active: false })
    await refused(crm.webhooks.test({ WebhookID }, { dryRun: true }), 'unsupported')
  }),
])
