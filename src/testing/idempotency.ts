import assert from 'node:assert/strict'
import type { Operation } from '../contract/operation.ts'
import { type Behaviour, behaviour, type Context, theme } from './behaviour.ts'
import { beginning, everything } from './everything.ts'
import { ADA, GRACE, phone, type Row } from './records.ts'
import { askedOf, callConfirmed, changesSomething, mainLines, needsOf, WRITING } from './writes.ts'

/** The same input, its members the other way round at every depth. */
const turned = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .map(([name, member]) => [name, turned(member)])
          .reverse(),
      )
    : value

const linesOf = async ({ crm }: Context, UserID: string, Outcome: string) => (await crm.changes.getMany({ Filters: { UserID, Outcome } })).Records

/** What a repeated call answers with: all that the first did, but for a secret. */
function asRepeated({ shownOnce }: Operation, first: Row, again: Row): Row {
  if (shownOnce === undefined) return first
  assert.match(String(again.Hint), /\w/)
  return { ...first, [shownOnce]: null, Hint: again.Hint }
}

const repeated = (operation: Operation): Behaviour =>
  behaviour(
    `${operation.name} with the same key is executed once`,
    async (context) => {
      const { as, refused, unique } = context
      const { input, other } = await askedOf(context, operation)
      const since = await beginning(context)
      const me = await as({ role: 'admin' })
      const idempotencyKey = unique('key')
      const call = (asked: unknown) => me.crm.call(operation.id, asked, { idempotencyKey }) as Promise<Row>

      const first = await callConfirmed(context, me.crm, operation, input, { idempotencyKey })
      if (operation.shownOnce) assert.equal(typeof first[operation.shownOnce], 'string')
      const after = await everything(context.crm, since)
      const again = await call(turned(input))
      assert.deepEqual(again, asRepeated(operation, first, again))
      assert.deepEqual(await everything(context.crm, since), after)
      assert.deepEqual(
        mainLines(await linesOf(context, me.userId, 'ok')).map((line) => line.IdempotencyKey),
        changesSomething(context, operation) ? [idempotencyKey] : [],
      )

      await refused(call(other), 'conflict')
      await refused(me.crm.users.create({ Name: 'x' }, { idempotencyKey }), 'conflict')
      assert.equal(mainLines(await linesOf(context, me.userId, 'ok')).length, changesSomething(context, operation) ? 1 : 0)
      assert.deepEqual(await call(input), again)
      await callConfirmed(context, context.crm, operation, other, { idempotencyKey })
    },
    needsOf(operation),
  )

export const idempotency = theme('idempotency keys', [
  ...WRITING.map(repeated),

  behaviour('another IfRevision is another call', async ({ crm, unique, refused }) => {
    const { LeadID, Revision } = await crm.leads.create(ADA)
    const idempotencyKey = unique('key')
    const input = { LeadID, FieldsToUpdate: { Phone: phone(1) }, IfRevision: Revision }
    const first = await crm.leads.update(input, { idempotencyKey })
    assert.deepEqual(await crm.leads.update(input, { idempotencyKey }), first)
    await refused(crm.leads.update({ ...input, IfRevision: Revision + 1 }, { idempotencyKey }), 'conflict')
    await refused(crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) } }, { idempotencyKey }), 'conflict')
    assert.equal((await crm.leads.get({ LeadID })).Revision, first.Revision)
  }),

  behaviour('all keys of a user share what they have executed, and no two users do', async ({ crm, as, signIn, unique }) => {
    const [one, two] = [await as(), await as()]
    const second = signIn((await crm.keys.create({ UserID: one.userId })).Key)
    const options = { idempotencyKey: unique('key') }
    const mine = await one.crm.leads.create(ADA, options)
    assert.deepEqual(await second.leads.create(ADA, options), mine)
    assert.notEqual((await two.crm.leads.create(ADA, options)).LeadID, mine.LeadID)
    assert.notEqual((await two.crm.leads.create(ADA)).LeadID, mine.LeadID)
    assert.deepEqual([(await one.crm.leads.getMany({})).Records.length, (await two.crm.leads.getMany({})).Records.length], [1, 2])
  }),

  behaviour('a key means nothing in another workspace', async ({ crm, other, unique }) => {
    const options = { idempotencyKey: unique('key') }
    assert.notEqual((await crm.leads.create(ADA, options)).LeadID, (await other.leads.create(GRACE, options)).LeadID)
  }),

  behaviour('a refusal does not burn the key: the same call is executed once it is acceptable', async ({ crm, as, newUser, unique, refused }) => {
    const member = await as()
    const { LeadID } = await crm.leads.create(ADA)
    const options = { idempotencyKey: unique('key') }
    const note = () => member.crm.leads.addNote({ LeadID, Note: 'Mine now.' }, options)
    await refused(note(), 'not_found')
    await refused(note(), 'not_found')
    await crm.leads.update({ LeadID, FieldsToUpdate: { OwnerID: member.userId } })
    const { NoteID } = await note()
    assert.equal((await note()).NoteID, NoteID)
    assert.equal((await crm.leads.get({ LeadID })).NotesTotal, 1)

    const [boss, deputy] = [await newUser({ role: 'manager' }), await newUser()]
    await crm.users.update({ UserID: deputy, FieldsToUpdate: { ManagerID: boss } })
    const turn = () => crm.users.update({ UserID: boss, FieldsToUpdate: { ManagerID: deputy } }, { idempotencyKey: `${options.idempotencyKey}x` })
    await refused(turn(), 'conflict')
    await crm.users.update({ UserID: deputy, FieldsToUpdate: { ManagerID: null } })
    assert.deepEqual(await turn(), await turn())
  }),

  behaviour('a key that was refused with one input may be used with another', async ({ crm, unique, refused }) => {
    const options = { idempotencyKey: unique('key') }
    await refused(crm.call('create_a_lead', { FirstName: 'Ada' }, options), 'invalid_input')
    await refused(crm.leads.delete({ LeadID: 'nothing' }, options), 'not_found')
    assert.equal((await crm.leads.create(ADA, options)).FirstName, 'Ada')
  }),

  behaviour('of many calls at once with one key, one is executed', async ({ as, unique }) => {
    const { crm } = await as()
    const options = { idempotencyKey: unique('key') }
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => crm.leads.create(ADA, options)))
    const made = await crm.leads.getMany({})
    assert.equal(made.Records.length, 1)
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') assert.deepEqual(outcome.value, made.Records[0])
      else assert.equal((outcome.reason as { code: string }).code, 'in_progress')
    }
    assert.ok(outcomes.some(({ status }) => status === 'fulfilled'))
    assert.deepEqual(await crm.leads.create(ADA, options), made.Records[0])
  }),

  behaviour('a call is repeated even when it could no longer be executed', async ({ crm, as, unique, refused }) => {
    const boss = await as({ role: 'manager' })
    const [first, second] = [await as({ manager: boss.userId }), await as()]
    const { LeadID } = await first.crm.leads.create(ADA)
    const input = { LeadID, FieldsToUpdate: { OwnerID: first.userId, Phone: phone(1) } }
    const options = { idempotencyKey: unique('key') }
    const given = await boss.crm.leads.update(input, options)
    await crm.leads.update({ LeadID, FieldsToUpdate: { OwnerID: second.userId } })
    await refused(boss.crm.leads.get({ LeadID }), 'not_found')
    assert.deepEqual(await boss.crm.leads.update(input, options), given)

    const removal = { idempotencyKey: unique('key') }
    const gone = await second.crm.leads.delete({ LeadID }, removal)
    assert.deepEqual(await second.crm.leads.delete({ LeadID }, removal), gone)
    await refused(second.crm.leads.delete({ LeadID }), 'not_found')
  }),

  behaviour('what changed nothing is repeated as it was answered', async ({ crm, unique }) => {
    const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
    const { LeadID } = await crm.leads.create(ADA)
    const first = await crm.leads.addToCampaign({ LeadID, CampaignID })
    const options = { idempotencyKey: unique('key') }
    assert.deepEqual(await crm.leads.addToCampaign({ LeadID, CampaignID }, options), first)
    await crm.leads.removeFromCampaign({ LeadID, CampaignID })
    assert.deepEqual(await crm.leads.addToCampaign({ LeadID, CampaignID }, options), first)
    assert.deepEqual((await crm.leads.get({ LeadID })).Campaigns, [])
  }),

  behaviour('a dry run neither uses a key nor is refused for one', async ({ as, unique }) => {
    const { crm } = await as()
    const options = { idempotencyKey: unique('key') }
    await crm.leads.create(ADA, { ...options, dryRun: true })
    const made = await crm.leads.create(GRACE, options)
    assert.equal(made.FirstName, 'Grace')
    const dry = (await crm.call('create_a_lead', ADA, { ...options, dryRun: true })) as { WouldWrite: Row }
    assert.equal(dry.WouldWrite.FirstName, 'Ada')
    assert.deepEqual(await crm.leads.create(GRACE, options), made)
  }),

  behaviour('a read takes no notice of a key', async ({ crm, unique }) => {
    const options = { idempotencyKey: unique('key') }
    const { LeadID } = await crm.leads.create(ADA)
    const before = await crm.leads.get({ LeadID }, options)
    await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) } })
    assert.notDeepEqual(await crm.leads.get({ LeadID }, options), before)
    await crm.leads.create(GRACE, options)
  }),
])
