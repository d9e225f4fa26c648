import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CrmError } from '../../src/contract/errors.ts'
import { inProcess } from '../support/in-process.ts'
import { runs } from '../support/lane.ts'
import { STORES } from '../support/stores.ts'

type Row = { [field: string]: unknown }

const word = fc.constantFrom('a', 'é', 'Negotiation', "x'; --", '😀', ' ')
/** Right and wrong values for every field; `undefined` marks those that must be refused. */
const change: fc.Arbitrary<{ fields: Row; refused: boolean }> = fc
  .record(
    {
      OpportunityName: fc.oneof(word, fc.constantFrom(null, 5)),
      Stage: fc.oneof(word, fc.constant(null)),
      CloseDate: fc.constantFrom('2026-01-31', '2024-02-29', '2026-02-30', null),
      Amount: fc.constantFrom(0, 1.5, -2.25, 0.1 + 0.2, null, 1e15, '5'),
      Revision: fc.constant(7),
      Nonsense: fc.constant('x'),
    },
    { requiredKeys: [] },
  )
  .map((fields) => ({ fields, refused: Object.entries(fields).some(([name, value]) => !accepts(name, value)) || Object.keys(fields).length === 0 }))

function accepts(name: string, value: unknown): boolean {
  if (name === 'OpportunityName' || name === 'Stage') return typeof value === 'string' && value.trim() !== ''
  if (name === 'CloseDate') return value === '2026-01-31' || value === '2024-02-29'
  if (name === 'Amount') return value === null || (typeof value === 'number' && value < 1e15)
  return false
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('update' as const), at: fc.nat(), change, revision: fc.constantFrom('none', 'current', 'stale') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), at: fc.nat(), revision: fc.constantFrom('none', 'current', 'stale') }) },
)

const kept = (value: unknown) => (typeof value === 'number' ? Math.round(value * 10_000) / 10_000 : value)
const code = (reason: unknown) => (reason instanceof CrmError ? reason.code : String(reason))

test.each(STORES)('on $platform, random creates, updates and deletes leave exactly what a model says', async ({ open }) => {
  const connection = await inProcess(await open())
  const admin = connection.signIn(connection.adminKey)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const user = await admin.users.create({ Name: 'Modelled' })
      const crm = connection.signIn((await admin.keys.create({ UserID: user.UserID, Scopes: ['read', 'write', 'delete'] })).Key)
      const model = new Map<string, Row>()
      const pick = (at: number) => [...model.keys()][at % Math.max(1, model.size)]
      for (const one of steps) {
        if (one.kind === 'create') {
          const made = await crm.opportunities.create({ OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31', Amount: 1 })
          model.set(made.OpportunityID, { ...made })
          continue
        }
        const OpportunityID = pick(one.at)
        const row = OpportunityID === undefined ? undefined : model.get(OpportunityID)
        if (OpportunityID === undefined || !row) continue
        const Revision = row.Revision as number
        const ifRevision = one.revision === 'none' ? {} : { IfRevision: one.revision === 'current' ? Revision : Revision + 5 }
        const input = { OpportunityID, ...ifRevision, ...(one.kind === 'update' && { FieldsToUpdate: one.change.fields }) }
        const expected = one.kind === 'update' && one.change.refused ? 'invalid_input' : one.revision === 'stale' ? 'conflict' : undefined
        const outcome = await crm.call(one.kind === 'update' ? 'update_opportunity' : 'opportunity_delete', input).then((answer) => answer as Row, code)
        if (expected !== undefined) expect(outcome).toBe(expected)
        else if (one.kind === 'delete') model.delete(OpportunityID)
        else {
          const { UpdatedFields, ...answer } = outcome as Row
          const changed = Object.fromEntries(Object.entries(one.change.fields).map(([name, value]) => [name, kept(value)]))
          const isSame = Object.entries(changed).every(([name, value]) => row[name] === value)
          expect((UpdatedFields as string[]).toSorted()).toEqual(isSame ? [] : Object.keys(one.change.fields).sort())
          if (isSame) expect(answer).toEqual(row)
          else expect(answer.Revision).toBeGreaterThan(Revision)
          expect(answer).toEqual({ ...row, ...changed, Revision: answer.Revision, UpdatedDate: answer.UpdatedDate })
          model.set(OpportunityID, answer)
        }
      }
      const { Records } = await crm.opportunities.getMany({ OrderBy: 'OpportunityID', Limit: 1000 })
      expect(Records).toEqual([...model.values()])
    }),
    { numRuns: runs(150) },
  )
  await connection.close()
})
