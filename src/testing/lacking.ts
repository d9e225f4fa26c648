import assert from 'node:assert/strict'
import type { Behaviour, Context, Lack } from './behaviour.ts'
import { ADA, BOAT, JAM } from './records.ts'
import { lastChange } from './writes.ts'

/** How often at most a behaviour is run whose batches had to be resent. */
const ATTEMPTS = 10

/** Runs a behaviour, or proves that what it needs is refused where the platform lacks that. */
export function runBehaviour(behaviour: Behaviour, context: Context): Promise<void> {
  const { needs } = behaviour
  if (needs === undefined || !context.lacks(needs)) return attempted(behaviour, context)
  const proof = REFUSED[needs]
  assert.ok(proof, `There is no proof that ${needs} is refused: add one to lacking.ts.`)
  return proof(context)
}

async function attempted({ run, sentOnce }: Behaviour, context: Context): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const before = context.resent()
    try {
      return await run(context)
    } catch (error) {
      if (!sentOnce || context.resent() === before || attempt === ATTEMPTS) throw error
    }
  }
}

/** How it is proven that something is refused, really and as a dry run, and leaves all as it was. */
const REFUSED: { readonly [L in Lack]?: (context: Context) => Promise<void> } = {
  async erase(context) {
    const { crm, refused } = context
    const { LeadID } = await crm.leads.create(ADA)
    const before = [await crm.leads.get({ LeadID }), await changesOf(context, LeadID)]
    for (const dryRun of [true, false]) await refused(crm.changes.erase({ RecordType: 'Lead', RecordID: LeadID }, { dryRun }), 'unsupported')
    assert.deepEqual([await crm.leads.get({ LeadID }), await changesOf(context, LeadID)], before)
  },

  async definitions({ crm, boats: ObjectName, refused }) {
    const { ObjectID } = await crm.customObjects.create({ ObjectName, Fields: BOAT })
    const before = await crm.customObjects.get({ ObjectID })
    for (const dryRun of [true, false]) {
      await refused(crm.customFields.update({ ObjectName, FieldName: 'Harbour', FieldsToUpdate: { Retired: true } }, { dryRun }), 'unsupported')
      await refused(crm.customFields.delete({ ObjectName, FieldName: 'Harbour' }, { dryRun }), 'unsupported')
    }
    assert.deepEqual(await crm.customObjects.get({ ObjectID }), before)
  },

  async 'own fields'({ crm, refused }) {
    const named = { RecordType: 'Lead', FieldName: 'Score' }
    for (const dryRun of [true, false]) {
      await refused(crm.fields.define({ ...named, Kind: 'integer' }, { dryRun }), 'unsupported')
      await refused(crm.fields.update({ ...named, FieldsToUpdate: { Label: 'Score' } }, { dryRun }), 'unsupported')
      await refused(crm.fields.retire(named, { dryRun }), 'unsupported')
    }
  },

  'member statuses': (context) => refusesOfMembers(context, { Status: 'Sent' }),

  'member external ids': (context) => refusesOfMembers(context, { ExternalID: 'M-1' }),

  async restore(context) {
    const { crm, refused } = context
    const { LeadID } = await crm.leads.create(ADA)
    await crm.leads.delete({ LeadID })
    const before = await changesOf(context, LeadID)
    await refusesToRestore(context, LeadID)
    assert.deepEqual(await changesOf(context, LeadID), before)
    await refused(crm.leads.get({ LeadID }), 'not_found')
  },

  async atomic({ as }) {
    const { crm } = await as()
    const Operations = [
      { Operation: 'create_a_lead', Input: ADA },
      { Operation: 'create_case', Input: JAM },
    ]
    for (const dryRun of [true, false]) {
      const { Results } = await crm.batch({ Operations, Atomic: true }, { dryRun })
      assert.deepEqual(
        Results.map(({ Status, Error: problem }) => [Status, problem?.code]),
        Operations.map(() => [422, 'unsupported']),
      )
    }
    assert.deepEqual([...(await crm.leads.getMany({})).Records, ...(await crm.cases.getMany({})).Records], [])
  },
}

const changesOf = async ({ crm }: Context, RecordID: string) => (await crm.changes.getMany({ Filters: { RecordID, Outcome: 'ok' } })).Records

/** Proves that what was last taken away of a record is not brought back. */
export async function refusesToRestore(context: Context, id: string): Promise<void> {
  const { ChangeID } = await lastChange(context, id)
  for (const dryRun of [true, false]) await context.refused(context.crm.changes.undo({ ChangeID }, { dryRun }), 'unsupported')
}

/** A value that memberships have no place for is refused, and the lead is not added. */
async function refusesOfMembers({ crm, unique, refused }: Context, value: { readonly Status: string } | { readonly ExternalID: string }): Promise<void> {
  const { LeadID } = await crm.leads.create(ADA)
  const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
  const [field = ''] = Object.keys(value)
  for (const dryRun of [true, false]) await refused(crm.leads.addToCampaign({ LeadID, CampaignID, ...value }, { dryRun }), 'unsupported', { field })
  assert.deepEqual((await crm.leads.get({ LeadID })).Campaigns, [])
}
