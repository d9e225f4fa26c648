import { summed, unscaled } from '../../contract/money.ts'
import { Opportunity } from '../../contract/records/opportunity.ts'
import type { Condition, Query, Reader } from '../../platforms/platform.ts'
import type { Settings } from '../service.ts'
import { eachRecord } from './each-record.ts'

const MONTHS_BEFORE = 5
const MONTHS_AFTER = 6

/**
 * What is open and won by month of the close date. What is open is weighted by its probability, and by the win rate where it has none. The
 * opportunities of these months are read, since neither the counters of a store nor the groups of a CRM know of probabilities.
 */
export async function forecastOf(
  reader: Reader,
  { where, ...owners }: Pick<Query, 'where' | 'owners'>,
  today: Date,
  winRate: number | null,
  { wonStages, lostStages }: Settings,
) {
  const first = monthAt(today, -MONTHS_BEFORE)
  const months = new Map(Array.from({ length: MONTHS_BEFORE + 1 + MONTHS_AFTER }, (_, nth) => [monthAt(today, nth - MONTHS_BEFORE), emptyMonth()]))
  const within: Condition[] = [
    { field: 'CloseDate', family: 'date', operator: 'gte', value: `${first}-01` },
    { field: 'CloseDate', family: 'date', operator: 'lt', value: `${monthAt(today, MONTHS_AFTER + 1)}-01` },
  ]
  const fields = ['Stage', 'Amount', 'Probability']
  for await (const { Stage, CloseDate, Amount, Probability } of eachRecord(reader, Opportunity, 'CloseDate', {
    ...owners,
    where: [...where, ...within],
    fields,
  })) {
    const month = months.get((CloseDate as string).slice(0, 7))
    if (!month || lostStages.includes(Stage as string)) continue
    const amount = summed(Amount) ?? 0n
    const share = wonStages.includes(Stage as string) ? month.won : month.open
    share.count++
    share.amount += amount
    if (share === month.won) continue
    if (typeof Probability === 'number') month.hundredfold += amount * BigInt(Math.round(Probability))
    else month.unweighted += amount
  }
  return [...months].map(([Month, { open, won, hundredfold, unweighted }]) => ({
    Month,
    Open: { Count: open.count, Amount: unscaled(open.amount) },
    Weighted: unscaled(hundredfold / 100n + BigInt(Math.round(Number(unweighted) * (winRate ?? 0)))),
    Won: { Count: won.count, Amount: unscaled(won.amount) },
  }))
}

const emptyMonth = () => ({ open: { count: 0, amount: 0n }, won: { count: 0, amount: 0n }, hundredfold: 0n, unweighted: 0n })

const monthAt = (today: Date, by: number) => new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + by)).toISOString().slice(0, 7)
