import { describe, expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { execute } from '../../src/core/call/execute.ts'
import { createService } from '../../src/core/service.ts'
import { STORES } from '../support/stores.ts'

interface Summary {
  readonly Total: number
  readonly TotalAmount?: number
  readonly ByStatus?: readonly { readonly Status: string; readonly Count: number }[]
  readonly ByStage?: readonly { readonly Stage: string; readonly Count: number; readonly Amount: number }[]
  readonly Others?: { readonly Count: number; readonly Amount?: number }
  readonly Open?: { readonly Count: number }
}

const EVERYTHING = { CreatedDate: { gte: '2000-01-01T00:00:00Z' } }

describe.each(STORES)('a summary names the largest states, on $platform', ({ open }) => {
  test('and sums up the others', async () => {
    const store = await open()
    onTestFinished(() => store.close())
    const service = createService({ platform: store, store })
    await bootstrap(service)
    const caller = await localAdmin(service)
    const call = async (operation: string, input: object = {}) => (await execute(service, { operation, input, caller })).result as Summary
    const stages = Array.from({ length: LIMITS.states }, (_, i) => `Stage ${i}`)
    const deal = (Stage: string) => call('create_opportunity', { OpportunityName: 'Engine', Stage, Amount: 2.5, CloseDate: '2030-01-01' })
    const [one] = stages as [string]
    await Promise.all([...stages, one].map(deal))

    const full = await call('get_summary_opportunity')
    expect(full.ByStage).toHaveLength(LIMITS.states)
    expect(full).not.toHaveProperty('Others')
    await Promise.all(['x', 'y', 'y', 'z'].map(deal))
    for (const input of [{}, { Filters: EVERYTHING }]) {
      const summary = await call('get_summary_opportunity', input)
      expect(summary).toMatchObject({ Total: LIMITS.states + 5, TotalAmount: 2.5 * (LIMITS.states + 5), Open: { Count: LIMITS.states + 5 } })
      expect(summary.ByStage).toHaveLength(LIMITS.states)
      expect(summary.ByStage?.slice(0, 2)).toEqual([one, 'y'].map((Stage) => ({ Stage, Count: 2, Amount: 5 })))
      expect(summary.Others).toEqual({ Count: 3, Amount: 7.5 })
    }

    await Promise.all([...stages, 'x', 'y'].map((Subject) => call('create_case', { Subject, Description: Subject })))
    expect(await call('case_get_summary')).not.toHaveProperty('Others')
  })
})
