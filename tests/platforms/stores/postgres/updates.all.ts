import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../../src/contract/limits.ts'
import { answered, atOnce, type Peer, peersOnPostgres, refusals } from '../../../support/postgres-peers.ts'
import { expectSoundPostgres } from '../../../support/postgres-sound.ts'

type Fields = Record<string, unknown>

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
const made = async (peer: Peer, operation: string, input: object, id: string) => String((await peer.call(operation, input)).result[id])
const newLead = (peer: Peer) => made(peer, 'create_a_lead', ADA, 'LeadID')
const newUser = (peer: Peer, Role: string, Name = Role) => made(peer, 'create_user', { Name, Role }, 'UserID')

describe('updates of one record from several processes', () => {
  test('are lost by nobody: each builds on the one before it', async () => {
    const { url, peers, ask } = await peersOnPostgres()
    const LeadID = await newLead(peers[0])
    const ends = await atOnce(peers, 240, async (peer, i) => {
      const FieldsToUpdate = { Phone: String(i), Status: `Status ${i % 3}` }
      if (i % 4 !== 0) return peer.call('update_lead', { LeadID, FieldsToUpdate })
      const { result } = await peer.call('get_leads', { LeadID })
      return peer.call('update_lead', { LeadID, FieldsToUpdate, IfRevision: result.Revision })
    })
    expect(new Set(refusals(ends))).toEqual(new Set(['conflict']))
    const succeeded = answered(ends)
    expect(succeeded.length).toBeGreaterThanOrEqual(180)
    expect((await peers[1].call('get_leads', { LeadID })).result.Revision).toBe(1 + succeeded.length)

    const lines = (await ask(`SELECT "Before", "After" FROM "Change" WHERE "RecordID" = '${LeadID}' AND "Outcome" = 'ok' ORDER BY "Number"`)) as Fields[]
    await expectSoundPostgres(url)
    const images = lines.map(({ Before, After }) => [Before, After].map((image) => image && JSON.parse(image as string)))
    expect(images.map(([, after]) => after.Revision)).toEqual(images.map((_, i) => i + 1))
    for (const [i, [before]] of images.entries()) expect(before).toEqual(images[i - 1]?.[1] ?? null)
  })

  test('hang every note on it, and count each of them', async () => {
    const { url, peers } = await peersOnPostgres()
    const LeadID = await newLead(peers[0])
    const ends = await atOnce(peers, 90, (peer, i) =>
      i % 3 === 0 ? peer.call('update_lead', { LeadID, FieldsToUpdate: { Phone: String(i) } }) : peer.call('add_notes_to_leads', { LeadID, Note: String(i) }),
    )
    expect(refusals(ends)).toEqual([])
    expect((await peers[1].call('get_leads', { LeadID })).result).toMatchObject({ NotesTotal: 60, Revision: 31 })
    await expectSoundPostgres(url)
  })

  test('give it from owner to owner while others read its events, and nobody is refused', async () => {
    const { url, peers } = await peersOnPostgres()
    const owners = await Promise.all([newUser(peers[0], 'member', 'Grace'), newUser(peers[0], 'member', 'Edsger')])
    const leads = await Promise.all(Array.from({ length: 3 }, () => newLead(peers[0])))
    let writing = true
    const reading = peers.map(async (peer) => {
      while (writing) await peer.call('get_many_events', { After: '0', Limit: 1000 })
    })
    const ends = await atOnce(peers, 150, (peer, i) =>
      peer.call('update_lead', { LeadID: leads[i % 3], FieldsToUpdate: i % 2 === 0 ? { OwnerID: owners[i % 4 === 0 ? 0 : 1] } : { Phone: String(i) } }),
    )
    writing = false
    await Promise.all(reading)
    expect(refusals(ends)).toEqual([])
    await expectSoundPostgres(url)
  })
})

describe('what several processes make at the same moment', () => {
  test('is one membership, and everybody is answered with it', async () => {
    const { url, peers, ask } = await peersOnPostgres()
    const LeadID = await newLead(peers[0])
    const CampaignID = await made(peers[0], 'create_campaign', { CampaignName: 'Spring' }, 'CampaignID')
    const ends = await atOnce(peers, 30, (peer) => peer.call('add_leads_to_campaign', { LeadID, CampaignID }))
    expect(refusals(ends)).toEqual([])
    expect(new Set(answered(ends).map(({ result }) => JSON.stringify(result))).size).toBe(1)
    expect(await ask('SELECT COUNT(*) AS n FROM "Membership"')).toEqual([{ n: '1' }])
    expect(await ask(`SELECT COUNT(*) AS n FROM "Change" WHERE "EventType" = 'lead.added_to_campaign'`)).toEqual([{ n: '1' }])
    await expectSoundPostgres(url)
  })

  test('is one definition of a custom object’s field, with a record for each', async () => {
    const { url, peers, ask } = await peersOnPostgres()
    const Fields = { Name: { Type: 'String', Label: 'Name' }, Size: { Type: 'Number', Label: 'Size' } }
    const ends = await atOnce(peers, 30, (peer) => peer.call('create_custom_object', { ObjectName: 'Part', Fields }))
    expect(refusals(ends)).toEqual([])
    expect(await ask('SELECT COUNT(*) AS n FROM "CustomObject"')).toEqual([{ n: '30' }])
    expect(await ask('SELECT "FieldName" FROM "Definition" ORDER BY 1')).toEqual([{ FieldName: 'Name' }, { FieldName: 'Size' }])

    const disagreeing = await atOnce(peers, 12, (peer, i) =>
      peer.call('create_custom_object', { ObjectName: 'Part', Fields: { Weight: { Type: i % 2 === 0 ? 'String' : 'Number', Label: 'Weight' } } }),
    )
    expect(refusals(disagreeing)).toEqual(Array.from({ length: 6 }, () => 'conflict'))
    await expectSoundPostgres(url)
  })

  test('is no value in a field that is deleted', async () => {
    const { url, peers, ask } = await peersOnPostgres()
    const Size = { Type: 'Number', Label: 'Size' }
    for (let round = 0; round < 10; round++) {
      const ObjectID = await made(peers[0], 'create_custom_object', { ObjectName: 'Part', Fields: { Size } }, 'ObjectID')
      const ends = await atOnce(peers, 12, (peer, i) => {
        if (i === 5) return peer.call('delete_custom_field', { ObjectName: 'Part', FieldName: 'Size' })
        if (i % 2 === 0) return peer.call('update_custom_object', { ObjectID, FieldsToUpdate: { Size: i } })
        return peer.call('create_custom_object', { ObjectName: 'Part', Fields: { Size: { Value: i } } })
      })
      for (const code of refusals(ends)) expect(['conflict', 'invalid_input']).toContain(code)
      const [{ n: fields } = {}] = await ask('SELECT COUNT(*) AS n FROM "Definition"')
      const [{ n: values } = {}] = await ask('SELECT COUNT(*) AS n FROM "CustomValue"')
      expect([fields, values].join()).toMatch(/^(1,\d+|0,0)$/)
      for (const row of await ask('SELECT "ObjectID" FROM "CustomObject"')) await peers[0].call('delete_custom_object', { ObjectID: row.ObjectID })
    }
    await expectSoundPostgres(url)
  })

  test('is never more fields than a custom object may have', async () => {
    const { peers, ask } = await peersOnPostgres()
    const fields = (prefix: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, { Type: 'String', Label: 'x' }]))
    await peers[0].call('create_custom_object', { ObjectName: 'Part', Fields: fields('First', LIMITS.customFields - 25) })
    const ends = await atOnce(peers, 6, (peer, i) => peer.call('create_custom_object', { ObjectName: 'Part', Fields: fields(`Next${i}x`, 10) }))
    expect(answered(ends)).toHaveLength(2)
    expect(refusals(ends)).toEqual(Array.from({ length: 4 }, () => 'invalid_input'))
    expect(await ask('SELECT COUNT(*) AS n FROM "Definition"')).toEqual([{ n: String(LIMITS.customFields - 5) }])
  })
})

describe('what must hold across users', () => {
  test('one admin stays when all of them are demoted at the same moment', async () => {
    const { peers, ask } = await peersOnPostgres()
    for (let i = 0; i < 4; i++) await newUser(peers[0], 'admin')
    const admins = (await ask('SELECT "UserID" FROM "User"')).map(({ UserID }) => UserID)
    const ends = await atOnce(peers, admins.length, (peer, i) => peer.call('update_user', { UserID: admins[i], FieldsToUpdate: { Role: 'member' } }))
    expect(refusals(ends)).toEqual(['conflict'])
    expect(await ask(`SELECT COUNT(*) AS n FROM "User" WHERE "Role" = 'admin' AND "Active" = 1`)).toEqual([{ n: '1' }])
  })

  test('managers given to each other at the same moment form no circle', async () => {
    const { peers, ask } = await peersOnPostgres()
    const ring = await Promise.all(Array.from({ length: 3 }, (_, i) => newUser(peers[0], 'manager', `Manager ${i}`)))
    const ends = await atOnce(peers, 3, (peer, i) => peer.call('update_user', { UserID: ring[i], FieldsToUpdate: { ManagerID: ring[(i + 1) % 3] } }))
    expect(refusals(ends)).toEqual(['conflict'])
    expect(await ask('SELECT COUNT(*) AS n FROM "User" WHERE "ManagerID" IS NOT NULL')).toEqual([{ n: '2' }])
  })
})

describe('an undo', () => {
  const undone = (peers: readonly Peer[], ChangeID: string) => atOnce(peers, 6, (peer) => peer.call('undo_change', { ChangeID }))

  test('of the same update by several succeeds once', async () => {
    const { url, peers } = await peersOnPostgres()
    const LeadID = await newLead(peers[0])
    const { changeId } = await peers[0].call('update_lead', { LeadID, FieldsToUpdate: { Phone: '1' } })
    const ends = await undone(peers, changeId)
    expect(answered(ends)).toHaveLength(1)
    expect(new Set(refusals(ends))).toEqual(new Set(['conflict']))
    expect((await peers[1].call('get_leads', { LeadID })).result).toMatchObject({ Phone: null, Revision: 3 })
    await expectSoundPostgres(url)
  })

  test('of the same deletion by several succeeds once, and brings back what hung on the record', async () => {
    const { url, peers } = await peersOnPostgres()
    const LeadID = await newLead(peers[0])
    await peers[0].call('add_notes_to_leads', { LeadID, Note: 'first' })
    const { changeId } = await peers[0].call('delete_lead', { LeadID })
    const ends = await undone(peers, changeId)
    expect(answered(ends)).toHaveLength(1)
    expect(new Set(refusals(ends))).toEqual(new Set(['conflict']))
    expect((await peers[1].call('get_leads', { LeadID })).result).toMatchObject({ NotesTotal: 1, Revision: 2 })
    await expectSoundPostgres(url)
  })

  test('of a campaign’s creation leaves no lead in a campaign that is gone', async () => {
    const { url, peers, ask } = await peersOnPostgres()
    const ends: PromiseSettledResult<unknown>[] = []
    for (let round = 0; round < 12; round++) {
      const LeadID = await newLead(peers[0])
      const { result, changeId } = await peers[0].call('create_campaign', { CampaignName: `Campaign ${round}` })
      ends.push(
        ...(await Promise.allSettled([
          peers[1].call('add_leads_to_campaign', { LeadID, CampaignID: result.CampaignID }),
          peers[2].call('undo_change', { ChangeID: changeId }),
        ])),
      )
      expect(refusals(ends.slice(-2))).toHaveLength(1)
    }
    expect(refusals(ends).filter((code) => code !== 'conflict' && code !== 'not_found')).toEqual([])
    expect(await ask('SELECT m."CampaignID" FROM "Membership" m WHERE NOT EXISTS (SELECT 1 FROM "Campaign" c WHERE c."CampaignID" = m."CampaignID")')).toEqual(
      [],
    )
    await expectSoundPostgres(url)
  })

  // PostgreSQL numbers a line only once it is committed, and the core looks for the highest number.
  test('in a batch after something was attached to a record that was brought back is a conflict', async () => {
    const { peers } = await peersOnPostgres()
    const LeadID = await newLead(peers[0])
    const deleted = await peers[0].call('delete_lead', { LeadID })
    const { changeId } = await peers[0].call('undo_change', { ChangeID: deleted.changeId })
    const results = await peers[0].atomic([
      { Operation: 'add_notes_to_leads', Input: { LeadID, Note: 'last' } },
      { Operation: 'undo_change', Input: { ChangeID: changeId } },
    ])
    expect(results.map(({ Status }) => Status)).toEqual([409, 409])
  })

  test('of a deletion brings back nothing that is erased at the same moment', async () => {
    const { peers, ask } = await peersOnPostgres()
    for (let round = 0; round < 15; round++) {
      const LeadID = await newLead(peers[0])
      const { changeId } = await peers[0].call('delete_lead', { LeadID })
      const [erased] = await Promise.allSettled([
        peers[1].call('erase_record', { RecordType: 'Lead', RecordID: LeadID }),
        peers[2].call('undo_change', { ChangeID: changeId }),
      ])
      expect(erased.status).toBe('fulfilled')
      expect(await ask(`SELECT "LeadID" FROM "Lead" WHERE "LeadID" = '${LeadID}'`)).toEqual([])
      expect(await ask(`SELECT "After" FROM "Change" WHERE "RecordID" = '${LeadID}' AND "After" IS NOT NULL`)).toEqual([])
    }
  })

  test('in a batch after a record was given to somebody else waits for nobody', async () => {
    const { url, peers } = await peersOnPostgres()
    const owners = await Promise.all([newUser(peers[0], 'member', 'Grace'), newUser(peers[0], 'member', 'Edsger')])
    const [LeadID, other] = await Promise.all([newLead(peers[0]), newLead(peers[0])])
    for (let round = 0; round < 15; round++) {
      const { changeId } = await peers[1].call('delete_lead', { LeadID: other })
      await Promise.all(peers.map((peer) => peer.call('update_lead', { LeadID, FieldsToUpdate: { Phone: String(round) } })))
      const results = await peers[2].atomic([
        { Operation: 'update_lead', Input: { LeadID, FieldsToUpdate: { OwnerID: owners[round % 2] } } },
        { Operation: 'undo_change', Input: { ChangeID: changeId } },
      ])
      expect(results.map(({ Status }) => Status)).toEqual([200, 200])
    }
    await expectSoundPostgres(url)
  })
})

test('two records that have just been written are erased in one batch without waiting for anybody', async () => {
  const { url, peers, ask } = await peersOnPostgres()
  for (let round = 0; round < 8; round++) {
    const leads = await Promise.all([newLead(peers[0]), newLead(peers[1])])
    const results = await peers[2].atomic(leads.map((RecordID) => ({ Operation: 'erase_record', Input: { RecordType: 'Lead', RecordID } })))
    expect(results).toMatchObject([
      { Status: 200, Result: { Changes: 1 } },
      { Status: 200, Result: { Changes: 1 } },
    ])
  }
  expect(await ask('SELECT (SELECT COUNT(*) FROM "Lead") AS leads, (SELECT COUNT("After") FROM "Change") AS images')).toEqual([{ leads: '0', images: '0' }])
  await expectSoundPostgres(url)
})

test('a note that is added while its lead is deleted is either on the lead that goes, or refused', async () => {
  const { url, peers } = await peersOnPostgres()
  const leads = await Promise.all(Array.from({ length: 15 }, () => newLead(peers[0])))
  const ends = await Promise.allSettled(
    leads.flatMap((LeadID) => [peers[1].call('add_notes_to_leads', { LeadID, Note: 'last' }), peers[2].call('delete_lead', { LeadID })]),
  )
  expect(answered(ends.filter((_, i) => i % 2 === 1))).toHaveLength(leads.length)
  expect(new Set([...refusals(ends), 'not_found'])).toEqual(new Set(['not_found']))
  const { result } = await peers[0].call('get_many_changes', { Filters: { Operation: 'delete_lead' }, Limit: 100 })
  for (const { ChangeID } of result.Records as { ChangeID: string }[]) await peers[0].call('undo_change', { ChangeID })
  // Whatever was said to be added comes back with its lead.
  await expectSoundPostgres(url)
  const notes = await Promise.all(leads.map(async (LeadID) => (await peers[0].call('get_leads', { LeadID })).result.NotesTotal as number))
  expect(notes.reduce((sum, count) => sum + count, 0)).toBe(answered(ends.filter((_, i) => i % 2 === 0)).length)
})

test('atomic batches that take the same records in any order are all carried out', async () => {
  const { url, peers, ask } = await peersOnPostgres()
  const deals = await Promise.all(
    Array.from({ length: 4 }, () =>
      made(peers[0], 'create_opportunity', { OpportunityName: 'x', Stage: 'Open', CloseDate: '2026-12-31', Amount: 100 }, 'OpportunityID'),
    ),
  )
  const ends = await atOnce(peers, 40, async (peer, i) => {
    const order = [...deals.slice(i % 4), ...deals.slice(0, i % 4)]
    const taken = i % 8 < 4 ? order : order.toReversed()
    return peer.atomic(taken.map((OpportunityID) => ({ Operation: 'update_opportunity', Input: { OpportunityID, FieldsToUpdate: { Amount: i } } })))
  })
  expect(answered(ends).flatMap((batch) => batch.map(({ Status }) => Status))).toEqual(Array.from({ length: 160 }, () => 200))
  expect(await ask('SELECT DISTINCT "Amount", "Revision" FROM "Opportunity"')).toEqual([{ Amount: expect.any(Number), Revision: 41 }])
  await expectSoundPostgres(url)
})
