import { describe, expect, onTestFinished, test } from 'vitest'
import { clientOf } from '../../src/contract/client/client.ts'
import { CrmError } from '../../src/contract/errors.ts'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { inProcessTransport } from '../../src/core/call/in-process.ts'
import { createService } from '../../src/core/service.ts'
import type { Platform } from '../../src/platforms/platform.ts'
import { temporarySqlite } from '../support/in-process.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

/** A service whose records live elsewhere than its journal. `reach` stands between it and the platform. */
async function apart(reach: (write: Platform['write']) => Platform['write'] = (write) => write) {
  const [records, store] = [await temporarySqlite(), await temporarySqlite()]
  onTestFinished(async () => {
    await records.close()
    await store.close()
  })
  let now = new Date()
  const platform: Platform = { ...records, write: reach((workspace, work) => records.write(workspace, work)) }
  const service = createService({ platform, store, now: () => now })
  await bootstrap(service)
  const caller = await localAdmin(service)
  const crm = clientOf(inProcessTransport(service, () => caller))
  return {
    crm,
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

  test('cannot be erased for good, nor written all or nothing, from here', async () => {
    const { crm } = await apart()
    const { LeadID } = await crm.leads.create(ADA)
    await expect(crm.changes.erase({ RecordType: 'Lead', RecordID: LeadID })).rejects.toMatchObject({ code: 'unsupported' })
    const { Results } = await crm.batch({ Atomic: true, Operations: [{ Operation: 'delete_lead', Input: { LeadID } }] })
    expect(Results).toMatchObject([{ Status: 422, Error: { code: 'unsupported' } }])
    expect(await crm.leads.get({ LeadID })).toMatchObject(ADA)
  })
})
