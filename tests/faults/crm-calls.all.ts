import { describe, expect, test } from 'vitest'
import type { Connection } from '../../src/testing/index.ts'
import { ALL_CRMS } from '../support/crms/all.ts'
import { FAULTS, overCrm } from '../support/crms.ts'

const WORKERS = 6
const ROUNDS = 6

type Client = ReturnType<Connection['signIn']>

/** What the records must be by what was answered. */
type Model = Map<string, { readonly FirstName: string; readonly Notes: string[] }>

async function work(crm: Client, worker: number, model: Model): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const name = `W${worker} R${round}`
    // Two of the same kind at the same time must not be taken for one.
    const twins = await Promise.all([1, 2].map(() => crm.leads.create({ FirstName: 'Twin', LastName: name })))
    for (const { LeadID, FirstName } of twins) model.set(LeadID, { FirstName, Notes: [] })
    const [first, second] = twins.map(({ LeadID }) => ({ LeadID })) as [{ LeadID: string }, { LeadID: string }]
    await crm.leads.update({ LeadID: first.LeadID, FieldsToUpdate: { FirstName: `Renamed ${round}` } })
    await crm.leads.addNote({ LeadID: first.LeadID, Note: 'Called.' })
    await crm.leads.addNote({ LeadID: first.LeadID, Note: 'Called.' })
    model.set(first.LeadID, { FirstName: `Renamed ${round}`, Notes: ['Called.', 'Called.'] })
    if (round % 3 === 0) {
      await crm.leads.delete({ LeadID: second.LeadID })
      model.delete(second.LeadID)
    }
    const batch = await crm.batch({
      Operations: [1, 2, 3].map((n) => ({ Operation: 'create_a_lead', Input: { FirstName: `B${n}`, LastName: name } })),
    })
    for (const { Result } of batch.Results) {
      const { LeadID, FirstName } = Result as { LeadID: string; FirstName: string }
      model.set(LeadID, { FirstName, Notes: [] })
    }
  }
}

describe('while everything goes wrong now and then', () => {
  test.each(ALL_CRMS)('%s: nothing is lost and nothing is there twice', async (_name, platform) => {
    const connection = await overCrm(platform, { faults: [...FAULTS, ...FAULTS], settleMs: 200 })
    try {
      const crm = connection.signIn(connection.adminKey)
      const model: Model = new Map()
      await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(crm, worker, model)))
      connection.simulator.faults.clear()
      const there = new Map<string, string>()
      for await (const lead of crm.leads.all()) {
        expect(there.has(lead.LeadID)).toBe(false)
        there.set(lead.LeadID, lead.FirstName)
      }
      expect([...there].sort()).toEqual([...model].map(([id, { FirstName }]) => [id, FirstName]).sort())
      for (const [LeadID, { Notes }] of model) if (Notes.length > 0) expect((await crm.leads.get({ LeadID })).Notes.map(({ Note }) => Note)).toEqual(Notes)
      const created: unknown[] = []
      for await (const { RecordID } of crm.changes.all({ Filters: { EventType: 'lead.created' } })) created.push(RecordID)
      expect(new Set(created).size).toBe(created.length)
      for (const id of model.keys()) expect(created).toContain(id)
    } finally {
      await connection.close()
    }
  })
})
