import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readAddress } from '../../../../src/platforms/stores/postgres/address.ts'
import { createHosts, createPool } from '../../../../src/platforms/stores/postgres/pool.ts'
import { foldDeltas } from '../../../../src/platforms/stores/postgres/rollups.ts'
import { answered, atOnce, type Peer, type Peers, peersOnPostgres, refusals } from '../../../support/postgres-peers.ts'
import { expectSoundPostgres } from '../../../support/postgres-sound.ts'
import { dealsCounted, leadsCounted } from '../../../support/recount.ts'

const STAGES = ['Prospecting', 'Closed Won', 'Closed Lost']
const DATES = ['2026-01-01', '2099-12-31', new Date().toISOString().slice(0, 10)]

/** Keeps everybody from the counters, until the answer is called. */
async function foldNothing({ url }: Peers): Promise<() => Promise<unknown>> {
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('BEGIN; LOCK TABLE "Rollup" IN SHARE MODE')
  return () => client.query('COMMIT')
}

/** How many deltas wait, and how many counters have come to nothing. */
async function leftOver({ ask }: Peers) {
  const [row] = await ask('SELECT (SELECT COUNT(*) FROM "RollupDelta") AS deltas, (SELECT COUNT(*) FROM "Rollup" WHERE "Count" = 0) AS empty')
  return { deltas: Number(row?.deltas), empty: Number(row?.empty) }
}

/** Records of every kind come, change and go, at all peers at the same time, while summaries are asked for. */
async function churn({ peers }: Peers, owners: readonly string[], round: number): Promise<void> {
  let writing = true
  const asking = peers.map(async (peer) => {
    while (writing) {
      const [{ result: deals }, { result: leads }] = await Promise.all([peer.call('get_summary_opportunity'), peer.call('get_summary_of_leads')])
      const share = ({ Count }: { Count: number }) => Count
      const { ByStage, ByMonth } = deals as { ByStage: { Count: number }[]; ByMonth: { Count: number }[] }
      // One statement answers for all of them.
      for (const cells of [ByStage, ByMonth]) expect(cells.map(share).reduce((sum, count) => sum + count, 0)).toBe(deals.Total)
      expect(leads.Total).toBeGreaterThanOrEqual(0)
    }
  })
  const ends = await atOnce(peers, 15, (peer, i) => oneLife(peer, owners, 15 * round + i))
  writing = false
  await Promise.all(asking)
  expect(refusals(ends)).toEqual([])
  expect(answered(ends)).toHaveLength(15)
}

async function oneLife({ call }: Peer, owners: readonly string[], i: number): Promise<void> {
  const draft = { OpportunityName: `Deal ${i}`, Stage: STAGES[i % 3], CloseDate: DATES[i % 3], Amount: i % 4 === 0 ? null : i + 0.0001 }
  const { OpportunityID } = (await call('create_opportunity', draft)).result
  const { LeadID } = (await call('create_a_lead', { FirstName: 'Ada', LastName: `${i}` })).result
  await call('update_opportunity', { OpportunityID, FieldsToUpdate: { Stage: STAGES[(i + 1) % 3], Amount: 1e11 - i / 10, OwnerID: owners[i % 2] } })
  const { changeId } = await call('update_lead', { LeadID, FieldsToUpdate: { Status: i % 2 === 0 ? null : 'Closed', OwnerID: owners[i % 2] } })
  if (i % 3 === 0) await call('undo_change', { ChangeID: changeId })
  if (i % 3 === 1) {
    const deleted = await call('opportunity_delete', { OpportunityID })
    await call('delete_lead', { LeadID })
    if (i % 2 === 0) await call('undo_change', { ChangeID: deleted.changeId })
  }
}

/** At a quiet moment every peer answers with what a recount of the records gives. */
async function expectCounted({ url, peers }: Peers): Promise<void> {
  const [peer] = peers
  const [deals, leads] = await Promise.all(
    ['get_many_opportunities', 'get_many_leads'].map(async (all) => (await peer.call(all, { Limit: 1000 })).result.Records),
  )
  const today = new Date().toISOString().slice(0, 10)
  for (const { call } of peers) {
    expect((await call('get_summary_opportunity')).result).toEqual(dealsCounted(deals as Parameters<typeof dealsCounted>[0], today))
    expect((await call('get_summary_of_leads')).result).toEqual(leadsCounted(leads as Parameters<typeof leadsCounted>[0]))
  }
  await expectSoundPostgres(url)
}

async function ownersOn({ peers: [peer] }: Peers): Promise<string[]> {
  return Promise.all(['Grace', 'Edsger'].map(async (Name) => String((await peer.call('create_user', { Name, Role: 'member' })).result.UserID)))
}

describe('summaries while many processes write', () => {
  test('equal a recount at every quiet moment, whether or not what was appended has been added up', async () => {
    const on = await peersOnPostgres()
    const owners = await ownersOn(on)
    const foldAgain = await foldNothing(on)
    await churn(on, owners, 0)
    expect((await leftOver(on)).deltas).toBeGreaterThan(50)
    await expectCounted(on)

    await foldAgain()
    await churn(on, owners, 1)
    await expectCounted(on)
    await expect.poll(() => leftOver(on)).toEqual({ deltas: 0, empty: 0 })
    await expectCounted(on)
  })

  test('count nothing twice and lose nothing when several processes add up at the same time', async () => {
    const on = await peersOnPostgres()
    const owners = await ownersOn(on)
    const address = readAddress(on.url)
    const pools = Array.from({ length: 3 }, () => createPool(address, createHosts(address), 2))
    onTestFinished(() => Promise.all(pools.map((pool) => pool.close())).then(() => {}))
    let churning = true
    const folding = pools.map(async (pool) => {
      let folded = 0
      while (churning) folded += await foldDeltas(pool, 1)
      return folded
    })
    await churn(on, owners, 0)
    churning = false
    await Promise.all(folding)
    await expectCounted(on)
    await Promise.all(pools.map((pool) => foldDeltas(pool, 1)))
    expect(await leftOver(on)).toEqual({ deltas: 0, empty: 0 })
    await expectCounted(on)
  })

  test('are of nothing once everything is gone, and no counter stays behind', async () => {
    const on = await peersOnPostgres()
    const owners = await ownersOn(on)
    await churn(on, owners, 0)
    const all = async (operation: string, id: string) =>
      ((await on.peers[0].call(operation, { Limit: 1000 })).result.Records as Record<string, string>[]).map((record) => record[id])
    const [deals, leads] = [await all('get_many_opportunities', 'OpportunityID'), await all('get_many_leads', 'LeadID')]
    const ends = await Promise.all([
      atOnce(on.peers, deals.length, (peer, i) => peer.call('opportunity_delete', { OpportunityID: deals[i] })),
      atOnce(on.peers, leads.length, (peer, i) => peer.call('delete_lead', { LeadID: leads[i] })),
    ])
    expect(refusals(ends.flat())).toEqual([])
    expect((await on.peers[1].call('get_summary_opportunity')).result).toMatchObject({ Total: 0, TotalAmount: 0, ByOwner: [], ByMonth: [] })
    await expect
      .poll(() => on.ask('SELECT (SELECT COUNT(*) FROM "RollupDelta") AS deltas, (SELECT COUNT(*) FROM "Rollup") AS counters'))
      .toEqual([{ deltas: '0', counters: '0' }])
    await expectSoundPostgres(on.url)
  })
})
