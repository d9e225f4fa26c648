import { describe, expect, onTestFinished, test } from 'vitest'
import { clientOf } from '../../src/contract/client/client.ts'
import { CrmError } from '../../src/contract/errors.ts'
import { createAuthenticator, localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { inProcessTransport } from '../../src/core/call/in-process.ts'
import { createService } from '../../src/core/service.ts'
import type { Platform } from '../../src/platforms/platform.ts'
import { temporarySqlite } from '../support/in-process.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

/** A service whose records live elsewhere than its journal. `reach` stands between it and the platform. */
async function apart(
  reach: (write: Platform['write']) => Platform['write'] = (write) => write,
  differs: (platform: Platform) => Partial<Platform> = () => ({}),
) {
  const [records, store] = [await temporarySqlite(), await temporarySqlite()]
  onTestFinished(async () => {
    await records.close()
    await store.close()
  })
  let now = new Date()
  const platform: Platform = { ...records, write: reach((workspace, work) => records.write(workspace, work)), ...differs(records) }
  const service = createService({ platform, store, now: () => now })
  await bootstrap(service)
  const caller = await localAdmin(service)
  const crm = clientOf(inProcessTransport(service, () => caller))
  const authenticate = createAuthenticator(service)
  return {
    crm,
    as: (key: string) => clientOf(inProcessTransport(service, () => authenticate(key))),
    store,
    later: (ms: number) => {
      now = new Date(now.getTime() + ms)
    },
  }
}

describe('records on a platform other than the store', () => {
  test('are written once, seen, announced and undoable', async () => {
    const { crm, store } = await apart()
    const lead = await crm.leads.create(ADA, { idempotencyKey: 'k' })
    expect(await crm.leads.create(ADA, { idempotencyKey: 'k' })).toEqual(lead)
    await expect(crm.leads.create({ ...ADA, LastName: 'Byron' }, { idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'conflict' })
    expect((await crm.leads.getMany({})).Records).toEqual([lead])
    await crm.leads.delete({ LeadID: lead.LeadID })
    const changes = (await crm.changes.getMany({ Filters: { Outcome: 'ok' } })).Records
    expect(changes.map(({ EventType }) => EventType)).toEqual(['lead.deleted', 'lead.created'])
    expect((await crm.events.getMany({})).Events.map(({ Type }) => Type)).toEqual(['lead.created', 'lead.deleted'])
    await crm.changes.undo({ ChangeID: changes[0]?.ChangeID as string })
    expect(await crm.leads.get({ LeadID: lead.LeadID })).toMatchObject({ ...ADA, Revision: 2 })
    expect(await store.journal(1).verify()).toMatchObject({ faults: [] })
    const users = await crm.users.create({ Name: 'Grace' }, { idempotencyKey: 'u' })
    expect(await crm.users.create({ Name: 'Grace' }, { idempotencyKey: 'u' })).toEqual(users)
  })

  test('leave a key free when they are refused', async () => {
    let refuse = true
    const { crm } = await apart((write) => async (workspace, work) => {
      if (refuse) throw new CrmError('platform_rejected', 'Not today.')
      return write(workspace, work)
    })
    await expect(crm.leads.create(ADA, { idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'platform_rejected' })
    refuse = false
    await crm.leads.create(ADA, { idempotencyKey: 'k' })
    expect((await crm.leads.getMany({})).Records).toHaveLength(1)
  })

  test('are never written again when nobody saw how the first attempt ended', async () => {
    const { crm, later } = await apart((write) => async (workspace, work) => {
      await write(workspace, work)
      throw new CrmError('outcome_unknown', 'The connection broke.')
    })
    await expect(crm.leads.create(ADA, { idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'outcome_unknown' })
    await expect(crm.leads.create(ADA, { idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'outcome_unknown' })
    later(120_000)
    await expect(crm.leads.create(ADA, { idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect((await crm.leads.getMany({})).Records).toHaveLength(1)
  })

  test('are deleted once that is confirmed, by a token that works once, or by who allows it', async () => {
    const { crm } = await apart()
    const leads = [await crm.leads.create(ADA), await crm.leads.create(ADA), await crm.leads.create(ADA)].map(({ LeadID }) => ({ LeadID }))
    const [first, second, changed] = leads as [{ LeadID: string }, { LeadID: string }, { LeadID: string }]
    const plan = async (input: { LeadID: string }) => {
      const refusal: unknown = await crm.leads.delete(input, { confirm: true }).catch((error: unknown) => error)
      return (refusal as CrmError).plan ?? expect.fail('There is no plan.')
    }
    const { Token } = await plan(first)
    const other = await plan(changed)
    await crm.leads.update({ ...changed, FieldsToUpdate: { Phone: '1' } })
    expect(await crm.leads.delete(first, { confirm: true, confirmation: Token })).toEqual({ ...first, Deleted: true })
    await expect(crm.leads.delete(first, { confirm: true, confirmation: Token })).rejects.toMatchObject({ code: 'conflict' })
    expect(await crm.plans.allow({ PlanID: (await plan(second)).PlanID })).toMatchObject({ State: 'done', Result: { ...second, Deleted: true } })
    await expect(crm.leads.delete(changed, { confirm: true, confirmation: other.Token })).rejects.toMatchObject({ code: 'conflict' })
    expect((await crm.leads.getMany({})).Records).toMatchObject([changed])
  })

  test('are deleted by a token that is good until something comes of it', async () => {
    let trouble: CrmError | undefined
    const { crm } = await apart((write) => async (workspace, work) => {
      if (trouble) throw trouble
      return write(workspace, work)
    })
    const { LeadID } = await crm.leads.create(ADA)
    const refusal: unknown = await crm.leads.delete({ LeadID }, { confirm: true }).catch((error: unknown) => error)
    const { Token, PlanID } = (refusal as CrmError).plan ?? expect.fail('There is no plan.')
    const confirm = (idempotencyKey?: string) => crm.leads.delete({ LeadID }, { confirm: true, confirmation: Token, idempotencyKey })
    const state = async () => (await crm.plans.getMany({ Filters: { PlanID } })).Records[0]
    for (const key of [undefined, 'k']) {
      trouble = new CrmError('platform_unavailable', 'Not now.')
      await expect(confirm(key)).rejects.toMatchObject({ code: 'platform_unavailable' })
      expect(await state()).toMatchObject({ State: 'waiting', DecidedBy: null })
    }
    await expect(crm.plans.allow({ PlanID })).rejects.toMatchObject({ code: 'platform_unavailable' })
    trouble = new CrmError('outcome_unknown', 'The connection broke.')
    await expect(confirm()).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(await state()).toMatchObject({ State: 'done' })
    trouble = undefined
    await expect(confirm()).rejects.toMatchObject({ code: 'conflict' })
    expect(await crm.leads.get({ LeadID })).toMatchObject(ADA)
  })

  const planOf = async (refused: Promise<unknown>) => ((await refused.catch((error: unknown) => error)) as CrmError).plan ?? expect.fail('There is no plan.')

  test('leave a key free when their confirmation is refused', async () => {
    let arrived = () => {}
    let goOn: Promise<void> | undefined
    const { crm } = await apart((write) => async (workspace, work) => {
      arrived()
      await goOn
      return write(workspace, work)
    })
    const { LeadID } = await crm.leads.create(ADA)
    const { Token } = await planOf(crm.leads.delete({ LeadID }, { confirm: true }))
    const confirm = (idempotencyKey: string) => crm.leads.delete({ LeadID }, { confirm: true, confirmation: Token, idempotencyKey })
    const atPlatform = new Promise<void>((resolve) => {
      arrived = resolve
    })
    let release = () => {}
    goOn = new Promise((resolve) => {
      release = resolve
    })
    // Both have found the confirmation waiting before one of them uses it.
    const ends = Promise.allSettled([confirm('a'), confirm('b')])
    await atPlatform
    release()
    const [first, second] = await ends
    expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected'])
    const refused = first.status === 'rejected' ? 'a' : 'b'
    // Not in_progress: the key of the refused call can be used for another call.
    await crm.leads.create(ADA, { idempotencyKey: refused })
  })

  test('need their confirmation also where the key is open', async () => {
    let lost = true
    const { crm, later } = await apart(
      (write) => async (workspace, work) => {
        if (lost) throw new CrmError('outcome_unknown', 'The connection broke.')
        return write(workspace, work)
      },
      ({ supports }) => ({ supports: { ...supports, reconcileMs: 1_000 } }),
    )
    lost = false
    const { LeadID } = await crm.leads.create(ADA)
    lost = true
    await expect(crm.leads.delete({ LeadID }, { idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'outcome_unknown' })
    lost = false
    later(5_000)
    const { Token } = await planOf(crm.leads.delete({ LeadID }, { idempotencyKey: 'k', confirm: true }))
    expect(await crm.leads.get({ LeadID })).toMatchObject(ADA)
    const confirmed = { idempotencyKey: 'k', confirm: true, confirmation: Token }
    lost = true
    await expect(crm.leads.delete({ LeadID }, confirmed)).rejects.toMatchObject({ code: 'outcome_unknown' })
    lost = false
    later(5_000)
    // The token was used by this very key, so the repeated call is reconciled.
    expect(await crm.leads.delete({ LeadID }, confirmed)).toEqual({ LeadID, Deleted: true })
    await expect(crm.leads.delete({ LeadID }, { confirm: true, confirmation: Token })).rejects.toMatchObject({ code: 'conflict' })
  })

  test('are not deleted by allowing the call of a user whom the platform no longer knows', async () => {
    const { crm, as } = await apart(undefined, ({ supports }) => ({ supports: { ...supports, ownUsers: false } }))
    const { UserID } = await crm.users.create({ Name: 'Grace', Role: 'member', PlatformUserID: 'p1' })
    const { Key } = await crm.keys.create({ UserID, Label: 'agent', Scopes: ['read', 'write', 'delete'], Confirm: 'deletes' })
    const { LeadID } = await as(Key as string).leads.create(ADA)
    const { PlanID } = await planOf(as(Key as string).leads.delete({ LeadID }))
    await crm.users.update({ UserID, FieldsToUpdate: { PlatformUserID: null } })
    await expect(crm.plans.allow({ PlanID })).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('PlatformUserID') })
    expect((await crm.plans.getMany({ Filters: { PlanID } })).Records[0]).toMatchObject({ State: 'waiting' })
    expect(await crm.leads.get({ LeadID })).toMatchObject(ADA)
  })

  test('leave a confirmation used when it is unknown what came of the call that an admin has allowed', async () => {
    class Lost extends Error {}
    let lost = false
    const { crm } = await apart(
      (write) => async (workspace, work) => {
        if (lost) throw new Lost()
        return write(workspace, work)
      },
      (records) => ({
        classify: (error) => (error instanceof Lost ? { code: 'outcome_unknown', message: 'The connection broke.' } : records.classify(error)),
      }),
    )
    const { LeadID } = await crm.leads.create(ADA)
    const { PlanID } = await planOf(crm.leads.delete({ LeadID }, { confirm: true }))
    lost = true
    await expect(crm.plans.allow({ PlanID }, { idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect((await crm.plans.getMany({ Filters: { PlanID } })).Records[0]).toMatchObject({ State: 'done' })
    await expect(crm.plans.allow({ PlanID }, { idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'outcome_unknown' })
  })

  test('cannot be erased for good, nor written all or nothing, from here', async () => {
    const { crm } = await apart()
    const { LeadID } = await crm.leads.create(ADA)
    await expect(crm.changes.erase({ RecordType: 'Lead', RecordID: LeadID })).rejects.toMatchObject({ code: 'unsupported' })
    const { Results } = await crm.batch({ Atomic: true, Operations: [{ Operation: 'delete_lead', Input: { LeadID } }] })
    expect(Results).toMatchObject([{ Status: 422, Error: { code: 'unsupported' } }])
    expect(await crm.leads.get({ LeadID })).toMatchObject(ADA)
  })
})
