/** Reports the open pipeline: by a summary where there is one, otherwise by iterating over the records. */
import assert from 'node:assert/strict'
import { connect } from 'crm-connector'

const crm = connect({ baseUrl: process.env.CRM_URL ?? 'http://127.0.0.1:8484', key: process.env.CRM_KEY ?? '' })

const deals = [
  { OpportunityName: 'Analytical engine', Stage: 'Prospecting', CloseDate: '2099-06-30', Amount: 1200.5 },
  { OpportunityName: 'Difference engine', Stage: 'Negotiation', CloseDate: '2099-03-31', Amount: 800 },
  { OpportunityName: 'Tide predictor', Stage: 'Negotiation', CloseDate: '2099-03-15', Amount: 99.5 },
]
for (const deal of deals) await crm.opportunities.create(deal)

const { TotalAmount, ByStage, WinRate } = await crm.opportunities.getSummary({ Filters: { CloseDate: { gte: '2099-01-01' } } })
assert.equal(TotalAmount, 2100)
console.log(`Expected: ${TotalAmount}. Won so far: ${WinRate === null ? 'nothing decided yet' : `${WinRate * 100} %`}.`)
console.table(ByStage)

// The loop fetches each page when it is needed, and none after a break.
const byMonth = new Map<string, number>()
for await (const { CloseDate, Amount } of crm.opportunities.all({ Filters: { CloseDate: { gte: '2099-01-01' }, Amount: { gt: 0 } }, OrderBy: 'CloseDate' })) {
  const month = CloseDate.slice(0, 7)
  byMonth.set(month, (byMonth.get(month) ?? 0) + (Amount ?? 0))
}
assert.deepEqual(
  [...byMonth],
  [
    ['2099-03', 899.5],
    ['2099-06', 1200.5],
  ],
)
