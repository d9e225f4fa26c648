import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { localAdmin } from '../../../../src/core/access/authenticate.ts'
import { answered, type Called, type Peer, peersOnPostgres, refusals } from '../../../support/postgres-peers.ts'
import { expectSoundPostgres } from '../../../support/postgres-sound.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
const keys = (count: number) => Array.from({ length: count }, (_, i) => `key-${i}`)

/** The same call with the same key at each of these in the same moment. */
const everywhere = (peers: readonly Peer[], key: string, operation = 'create_a_lead', input: object = ADA) =>
  Promise.allSettled(peers.map((peer) => peer.call(operation, input, key)))

/** That it was carried out by one of them, and all were answered alike. */
function expectOnce(calls: readonly Called[]): void {
  expect(calls.filter(({ replayed }) => !replayed)).toHaveLength(1)
  expect(new Set(calls.map(({ result, changeId }) => JSON.stringify({ result, changeId }))).size).toBe(1)
}

describe('a key sent to several processes in the same moment', () => {
  test('is carried out once, and everybody gets the same answer', async () => {
    const { url, peers, ask } = await peersOnPostgres()
    const ends = await Promise.all(keys(40).map((key) => everywhere(peers, key)))
    for (const calls of ends) {
      expect(refusals(calls)).toEqual([])
      expectOnce(answered(calls))
    }
    expect(await ask('SELECT COUNT(*) AS leads FROM "Lead"')).toEqual([{ leads: '40' }])
    await expectSoundPostgres(url)
  })

  test('and several times to each is refused to some of them as in progress, and never carried out twice', async () => {
    const { url, peers, ask } = await peersOnPostgres()
    for (const key of keys(8)) {
      const calls = await everywhere([...peers, ...peers, ...peers], key)
      expect(new Set([...refusals(calls), 'in_progress'])).toEqual(new Set(['in_progress']))
      expectOnce(answered(calls))
    }
    expect(await ask('SELECT COUNT(*) AS leads FROM "Lead"')).toEqual([{ leads: '8' }])
    await expectSoundPostgres(url)
  })

  test('with differing input is carried out for one, and a conflict for the others', async () => {
    const { url, peers } = await peersOnPostgres()
    for (const key of keys(10)) {
      const calls = await Promise.allSettled(peers.map((peer, i) => peer.call('create_a_lead', { ...ADA, LastName: `Lovelace ${i}` }, key)))
      expect(refusals(calls)).toEqual(['conflict', 'conflict'])
      expectOnce(answered(calls))
    }
    await expectSoundPostgres(url)
  })

  test('for an update changes the record once, and for what changes nothing is answered alike', async () => {
    const { url, peers } = await peersOnPostgres()
    const { LeadID } = (await peers[0].call('create_a_lead', ADA)).result
    const { CampaignID } = (await peers[0].call('create_campaign', { CampaignName: 'Spring' })).result
    for (const key of keys(10)) expectOnce(answered(await everywhere(peers, key, 'update_lead', { LeadID, FieldsToUpdate: { Phone: key } })))
    expect((await peers[0].call('get_leads', { LeadID })).result.Revision).toBe(11)
    await peers[0].call('add_leads_to_campaign', { LeadID, CampaignID })
    for (const key of keys(5)) {
      const calls = await everywhere(peers, `link-${key}`, 'add_leads_to_campaign', { LeadID, CampaignID })
      expect(refusals(calls)).toEqual([])
      expectOnce(answered(calls))
    }
    await expectSoundPostgres(url)
  })
})

describe('a key that has expired', () => {
  const LONG_AGO = '2020-01-01T00:00:00.000Z'

  test('and is used again by several in the same moment is carried out once more', async () => {
    const { url, peers, ask } = await peersOnPostgres()
    for (const key of keys(15)) await peers[0].call('create_a_lead', ADA, key)
    await ask(`UPDATE "Once" SET "At" = '${LONG_AGO}'`)
    const ends = await Promise.all(keys(15).map((key) => everywhere(peers, key)))
    for (const calls of ends) {
      expect(refusals(calls)).toEqual([])
      expectOnce(answered(calls))
    }
    expect(await ask('SELECT COUNT(*) AS leads FROM "Lead"')).toEqual([{ leads: '30' }])
    await expectSoundPostgres(url)
  })

  test('and is used again while it is cleared away is carried out once more', async () => {
    const { url, peers, ask } = await peersOnPostgres()
    for (const key of keys(20)) await peers[0].call('create_a_lead', ADA, key)
    await ask(`UPDATE "Once" SET "At" = '${LONG_AGO}'`)
    const sweeping = peers.map(({ store }) => store.sweep({ keys: '2021-01-01T00:00:00.000Z', changes: undefined }))
    const ends = await Promise.all(keys(20).map((key) => everywhere(peers, key)))
    await Promise.all(sweeping)
    for (const calls of ends) {
      expect(refusals(calls)).toEqual([])
      expectOnce(answered(calls))
    }
    expect(await ask('SELECT (SELECT COUNT(*) FROM "Lead") AS leads, (SELECT COUNT(*) FROM "Once") AS keys')).toEqual([{ leads: '40', keys: '20' }])
    await expectSoundPostgres(url)
  })
})

// Writes are tried again for two seconds from when they began, and this one has waited longer before it failed at all.
test('a key that another process was at for long is looked at again, and not taken for a fault of ours', async () => {
  const { peers } = await peersOnPostgres()
  const { userId } = await localAdmin(peers[0].service)
  let begun = () => {}
  const other = peers[1].store.write(1, async (writer) => {
    await writer.putIdempotencyKey(userId, 'slow', { fingerprint: 'of another call', at: writer.now(), state: 'done', answer: '{}', changeId: null })
    await writer.findIdempotencyKey(userId, 'slow')
    begun()
    await new Promise((resolve) => setTimeout(resolve, 2_500))
  })
  await new Promise<void>((resolve) => {
    begun = resolve
  })
  const ends = await Promise.allSettled([peers[0].call('create_a_lead', ADA, 'slow'), other])
  expect(refusals(ends)).toEqual(['conflict'])
})

// Writes that only add rows share a transaction, and all of them wait for the one whose key is taken.
test('a key that another process is still at keeps nobody from writing but who sends the same', async () => {
  const { url, peers } = await peersOnPostgres()
  const { userId } = await localAdmin(peers[0].service)
  const other = new pg.Client(url)
  await other.connect()
  onTestFinished(() => other.end())
  await other.query(`BEGIN; INSERT INTO "Once" VALUES (1, '${userId}', 'taken', 'x', '2026-01-01T00:00:00.000Z', 'done', '{}', NULL)`)
  const same = peers[0].call('create_a_lead', ADA, 'taken')
  const others = Promise.all(keys(10).map((key) => peers[0].call('create_a_lead', ADA, key)))
  const first = await Promise.race([others, new Promise((resolve) => setTimeout(resolve, 20_000))])
  await other.query('ROLLBACK')
  await Promise.all([same, others])
  expect(first).toHaveLength(10)
})
