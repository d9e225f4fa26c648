import type { Simulate, WireRequest } from 'crm-simulators'
import { simulateSalesforce } from 'crm-simulators/salesforce'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SALESFORCE } from '../../../support/crms/salesforce.ts'
import { overCrm } from '../../../support/crms.ts'
import { plainServer } from '../../../support/plain-server.ts'
import { account, create, one } from './account.ts'

const { open, requests, send, simulator } = account()

const ADA = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com' }
const DRAFT = { ...ADA, Status: 'Open' }

/** A service on an account where another client changes a lead between the look and the write of the next PATCH. */
async function meddled() {
  const patches: WireRequest[] = []
  const state = { meddles: false, advance: () => {} }
  const simulate: Simulate = (world) => {
    const simulated = simulateSalesforce(world)
    return {
      ...simulated,
      answer(request) {
        if (request.method === 'PATCH') patches.push(request)
        if (request.method === 'PATCH' && state.meddles) {
          state.meddles = false
          state.advance()
          const { 'if-unmodified-since': _, ...headers } = request.headers
          simulated.answer({ ...request, headers, path: request.path, body: JSON.stringify({ Phone: '666' }) })
        }
        return simulated.answer(request)
      },
    }
  }
  const over = await overCrm({ ...SALESFORCE, simulate })
  onTestFinished(over.close)
  state.advance = () => over.simulator.advance(5000)
  return { crm: over.signIn(over.adminKey), state, patches }
}

describe('a change between the look and the write', () => {
  test('is a conflict where IfRevision was given, and nothing is overwritten', async () => {
    const { crm, state, patches } = await meddled()
    const { LeadID, Revision } = await crm.leads.create(ADA)
    state.meddles = true
    const update = crm.leads.update({ LeadID, FieldsToUpdate: { Phone: '1' }, IfRevision: Revision })
    await expect(update).rejects.toMatchObject({ code: 'conflict' })
    expect(await crm.leads.get({ LeadID })).toMatchObject({ Phone: '666' })
    expect(patches[0]?.headers['if-unmodified-since']).toMatch(/GMT$/)
  })

  test('does not matter where it was not given', async () => {
    const { crm, state, patches } = await meddled()
    const { LeadID } = await crm.leads.create(ADA)
    state.meddles = true
    expect(await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: '1' } })).toMatchObject({ Phone: '1' })
    expect(patches[0]?.headers['if-unmodified-since']).toBeUndefined()
  })

  test('keeps an undo from overwriting it', async () => {
    const { crm, state } = await meddled()
    const { LeadID } = await crm.leads.create(ADA)
    await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: '1' } })
    const [change] = (await crm.changes.getMany({ Filters: { RecordID: LeadID, EventType: 'lead.updated' } })).Records
    state.meddles = true
    await expect(crm.changes.undo({ ChangeID: change?.ChangeID as string })).rejects.toMatchObject({ code: 'conflict' })
    expect(await crm.leads.get({ LeadID })).toMatchObject({ Phone: '666' })
  })
})

test('what may not have changed is sent alone, and the rest together', async () => {
  const driver = await open({}, { duplicates: 'allow' })
  const ids = await Promise.all([1, 2, 3].map(() => create(driver, 'Lead', DRAFT)))
  const before = await Promise.all(ids.map(async (id) => (await one(driver, 'Lead', id)) ?? {}))
  simulator().advance(5000)
  await send('PATCH', `/sobjects/Lead/${ids[0]}`, { Phone: '666' })
  requests.length = 0
  const answers = await driver.update(
    'Lead',
    ids.map((id, at) => ({ id, changes: { Phone: '1' }, before: before[at] ?? {}, unchanged: at === 0 })),
  )
  expect(answers).toMatchObject([{ code: 'conflict' }, true, true])
  expect(requests.filter(({ method }) => method === 'PATCH').map(({ path }) => path.split('/').slice(4).join('/'))).toEqual([
    `sobjects/Lead/${ids[0]}`,
    'composite/sobjects',
  ])
})

test('a precondition that fails although nothing was changed is not believed', async () => {
  const AT = '2026-05-01T07:25:37.000+0000'
  const ID = '00Q5e0000000001EAA'
  const { origin, requests: sent } = await plainServer(({ method, url, headers }) => {
    if (url.pathname.endsWith('/token')) return { status: 200, body: { access_token: 'token', token_type: 'Bearer' } }
    if (url.pathname.endsWith('/query')) return { status: 200, body: { totalSize: 1, done: true, records: [{ Id: ID, LastModifiedDate: AT }] } }
    if (method !== 'PATCH') return { status: 404, body: [] }
    return headers['if-unmodified-since'] ? { status: 412, body: [] } : { status: 204 }
  })
  const driver = await open({ address: origin })
  const change = (UpdatedDate: string) => driver.update('Lead', [{ id: ID, changes: { Phone: '1' }, before: { UpdatedDate }, unchanged: true }])
  expect(await change('2026-05-01T07:25:37.000Z')).toEqual([true])
  expect(sent.filter(({ method }) => method === 'PATCH')).toHaveLength(2)
  expect(await change('2026-05-01T07:25:36.000Z')).toMatchObject([{ code: 'conflict' }])
})
