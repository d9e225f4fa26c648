import assert from 'node:assert/strict'
import type { CrmError } from '../contract/errors.ts'
import { type Operation, TIERS, type Tier } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { behaviour, type Client, theme } from './behaviour.ts'
import { ADA, JAM } from './records.ts'

const SCOPED: readonly Operation[] = OPERATIONS.filter(({ id }) => id !== 'get_current_user')

/** Any of these tiers opens the operation: what an undo really needs depends on what it takes back, and is proven with undo. */
const tiersOf = ({ id, tier }: Operation): readonly Tier[] => (['undo_change', 'refuse_plan'].includes(id) ? ['write', 'delete'] : [tier])

/** What the operation can be called with by someone who has only this scope. */
const inputFor = ({ id, example }: Operation) => (id === 'create_key' ? { Scopes: ['admin:create_key'] } : example)

export const scopes = theme('scopes', [
  behaviour('no tier includes another: each operation needs its own', async ({ as, refused }) => {
    const without = new Map<string, Client>()
    for (const operation of SCOPED) {
      const needed = tiersOf(operation)
      const crm = without.get(needed.join()) ?? (await as({ role: 'admin', scopes: TIERS.filter((tier) => !needed.includes(tier)) })).crm
      without.set(needed.join(), crm)
      await refused(crm.call(operation.id, operation.example), 'forbidden')
    }
  }),

  behaviour('a tier for one operation allows it and nothing else', async ({ as, refused }) => {
    for (const operation of SCOPED) {
      const { crm } = await as({ role: 'admin', scopes: [`${operation.tier}:${operation.id}`] })
      const error = await crm.call(operation.id, inputFor(operation)).then(
        () => undefined,
        (reason: CrmError) => reason,
      )
      assert.notEqual(error?.code, 'forbidden', operation.id)
      const next = SCOPED.find(({ id, tier }) => id !== operation.id && tier === operation.tier)
      if (next) await refused(crm.call(next.id, next.example), 'forbidden')
    }
  }),

  behaviour('a tier for one record type allows its operations and no other type', async ({ as, refused }) => {
    const { crm } = await as({ scopes: ['read:Lead', 'write:Case'] })
    assert.equal((await crm.leads.getMany({})).Records.length, 0)
    assert.equal((await crm.leads.getSummary({})).Total, 0)
    const { CaseID } = await crm.cases.create(JAM)
    await crm.cases.update({ CaseID, FieldsToUpdate: { Subject: 'x' } })
    await crm.cases.addComment({ CaseID, Comment: 'x' })
    await refused(crm.leads.create(ADA), 'forbidden')
    await refused(crm.cases.get({ CaseID }), 'forbidden')
    await refused(crm.cases.delete({ CaseID }), 'forbidden')
    await refused(crm.opportunities.getMany({}), 'forbidden')
  }),

  behaviour('get_current_user is for every key', async ({ as }) => {
    for (const scope of ['write:create_a_lead', 'delete', 'read:Case'])
      assert.deepEqual((await (await as({ scopes: [scope] })).crm.users.getCurrent({})).Scopes, [scope])
  }),

  behaviour('a key may list users with read alone, and describe the platform', async ({ as }) => {
    const { crm, userId } = await as({ scopes: ['read'] })
    assert.deepEqual(
      (await crm.users.getMany({})).Records.map(({ UserID }) => UserID),
      [userId],
    )
    assert.ok((await crm.describe({})).RecordTypes.length > 0)
  }),

  behaviour('what a key may not do changes nothing', async ({ as, refused }) => {
    const member = await as({ scopes: ['read', 'write'] })
    const { LeadID } = await member.crm.leads.create(ADA)
    await refused(member.crm.leads.delete({ LeadID }), 'forbidden')
    await refused(member.crm.leads.removeFromCampaign({ LeadID, CampaignID: 'x' }), 'forbidden')
    assert.equal((await member.crm.leads.get({ LeadID })).LeadID, LeadID)
  }),

  behaviour('a key that may not read learns nothing of the fields the workspace has defined', async ({ crm, as, unique, refused }) => {
    const Known = unique('Known')
    await crm.customObjects.create({ ObjectName: unique('Boat'), Fields: { [Known]: { Type: 'Number', Label: 'x' } } })
    const writer = await as({ scopes: ['write'] })
    for (const Filters of [{ [Known]: 5 }, { [Known]: 'x' }, { [`${Known}x`]: 5 }]) await refused(writer.crm.customObjects.getMany({ Filters }), 'forbidden')
  }),

  behaviour('unknown words are refused when the key is made, with the nearest', async ({ crm, refused }) => {
    const near: readonly (readonly [scope: string, didYouMean: string])[] = [
      ['raed', 'read'],
      ['read:Leads', 'read:Lead'],
      ['delete:case_delet', 'delete:case_delete'],
    ]
    for (const [scope, nearest] of near) {
      const { errors, hint, message } = await refused(crm.keys.create({ Scopes: ['read', scope] }), 'invalid_input', { field: 'Scopes' })
      assert.ok(
        [...(errors ?? []).map(({ didYouMean }) => didYouMean ?? ''), hint ?? '', message].some((text) => text.includes(nearest.split(':').at(-1) ?? nearest)),
        `${scope} suggests ${nearest}`,
      )
    }
    for (const scope of ['', 'all', '*', 'read:', ':Lead', 'read:Lead:x', 'READ', 'read:constructor', 'constructor', 'write:toString', 'read,write', 'own']) {
      await refused(crm.keys.create({ Scopes: [scope] }), 'invalid_input', { field: 'Scopes' })
    }
    for (const Scopes of [[], 'read', [5], null]) await refused(crm.call('create_key', { Scopes }), 'invalid_input', { field: 'Scopes' })
  }),

  behaviour('no key grants more than the key that makes it', async ({ as, refused }) => {
    const { crm } = await as({ role: 'admin', scopes: ['admin', 'read:Lead'] })
    for (const scope of ['admin', 'admin:create_key', 'read:Lead', 'read:get_leads'])
      assert.deepEqual((await crm.keys.create({ Scopes: [scope] })).Scopes, [scope])
    for (const scope of ['read', 'write', 'delete', 'read:Case', 'read:get_case', 'write:Lead', 'delete:delete_lead'])
      await refused(crm.keys.create({ Scopes: ['admin', scope] }), 'forbidden')
    await refused(crm.keys.create({}), 'forbidden')
    const narrow = await as({ role: 'admin', scopes: ['admin:create_key'] })
    await refused(narrow.crm.keys.create({ Scopes: ['admin'] }), 'forbidden')
    await refused(narrow.crm.keys.create({ Scopes: ['admin:create_user'] }), 'forbidden')
  }),

  behaviour("no key grants more than its user's role", async ({ crm, as, refused }) => {
    for (const role of ['manager', 'member'] as const) {
      const { userId: UserID } = await as({ role })
      for (const scope of ['admin', 'admin:create_user', 'admin:get_many_keys'])
        await refused(crm.keys.create({ UserID, Scopes: ['read', scope] }), 'forbidden')
      assert.equal((await crm.keys.create({ UserID, Scopes: ['read', 'write', 'delete'] })).UserID, UserID)
    }
  }),
])
