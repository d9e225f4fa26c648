import { expect, test } from 'vitest'
import { peersOnPostgres, refusals } from '../../support/postgres-peers.ts'
import { serviceAtHand } from '../../support/at-hand.ts'
import { executeBatch } from '../../../src/core/batch.ts'
import { localAdmin } from '../../../src/core/authenticate.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
test('isLast in batch', async () => {
  const { peers } = await peersOnPostgres()
  const sq = await serviceAtHand()
  for (const peer of [{ call: sq.call, atomic: async (Operations: any) => (await executeBatch(sq.service, { operation: 'batch', input: { Operations, Atomic: true }, caller: await localAdmin(sq.service) })).Results }, peers[0]]) {
    const { LeadID } = (await peer.call('create_a_lead', ADA)).result
    const { changeId } = await peer.call('delete_lead', { LeadID })
    const restored = await peer.call('undo_change', { ChangeID: changeId })
    const r = await peer.atomic([
      { Operation: 'add_notes_to_leads', Input: { LeadID, Note: 'x' } },
      { Operation: 'undo_change', Input: { ChangeID: restored.changeId } },
    ])
    console.log(JSON.stringify(r.map((x: any) => [x.Status, x.Error?.detail])))
  }
})
test('erase vs undo', async () => {
  const { peers, ask } = await peersOnPostgres()
  let bad = 0
  for (let i = 0; i < 40; i++) {
    const { LeadID } = (await peers[0].call('create_a_lead', ADA)).result
    const { changeId } = await peers[0].call('delete_lead', { LeadID })
    const ends = await Promise.allSettled([peers[1].call('erase_record', { RecordType: 'Lead', RecordID: LeadID }), peers[2].call('undo_change', { ChangeID: changeId })])
    const there = await ask(`SELECT 1 FROM "Lead" WHERE "LeadID" = '${LeadID}'`)
    const images = await ask(`SELECT 1 FROM "Change" WHERE "RecordID" = '${LeadID}' AND "After" IS NOT NULL`)
    if (ends[0].status === 'fulfilled' && (there.length || images.length)) bad++
  }
  console.log('bad', bad)
})
test('owner moved while notes: visible to new owner', async () => {
  const { peers, ask } = await peersOnPostgres()
  const { UserID } = (await peers[0].call('create_user', { Name: 'x', Role: 'member' })).result
  const { LeadID } = (await peers[0].call('create_a_lead', ADA)).result
  const ends = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => peers[i % 3]!.call(...(i === 20 ? ['update_lead', { LeadID, FieldsToUpdate: { OwnerID: UserID } }] : ['add_notes_to_leads', { LeadID, Note: 'x' }]) as [string, object])))
  console.log(refusals(ends), await ask(`SELECT COUNT(*) FROM "Change" WHERE "RecordID" = '${LeadID}' AND "OwnerID" <> '${UserID}'`))
})
