import { comparisonsIn } from '../../../contract/conditions.ts'
import { LARGEST_MONEY } from '../../../contract/limits.ts'
import { scaled } from '../../../contract/money.ts'
import { recordType } from '../../../contract/operations.ts'
import { NOBODY } from '../../../contract/records/user.ts'
import type { Budget, Condition, StoredRecord, Tally, TallyQuery, UserIds } from '../../platform.ts'
import type { Account } from './account.ts'
import { asksForLackingText, partsOf } from './conditions.ts'
import { DriverError } from './errors.ts'
import { matching } from './search.ts'

/** Counts and sums of all records that match: by the CRM where it can group them exactly, otherwise by reading them all. */
export async function tallyOf(account: Account, userIds: UserIds, type: string, query: TallyQuery, budget?: Budget): Promise<Tally> {
  return (await tallyByCrm(account, userIds, type, query)) ?? tallyHere(account, userIds, type, query, budget)
}

async function tallyByCrm({ driver }: Account, userIds: UserIds, type: string, query: TallyQuery): Promise<Tally | undefined> {
  const { where, trees } = partsOf(query.where)
  const isOurs = (one: Condition) => one.field === 'OwnerID' || one.through?.owners !== undefined || asksForLackingText(type, one)
  const exactly = where.every((one) => driver.narrows(type, one) === 'exactly') && trees.every((one) => driver.narrowsTree?.(type, one) === 'exactly')
  if (!driver.tally || !exactly || comparisonsIn(query.where).some(isOurs)) return undefined
  const owners = query.owners?.flatMap((owner) => userIds.toPlatform(owner) ?? [])
  if (owners?.length === 0) return { states: [], months: [], due: [] }
  const tally = await driver.tally(type, { ...query, where, trees, ...(owners && { owners }) })
  return tally && { ...tally, states: tally.states.map((cell) => ({ ...cell, owner: userIds.fromPlatform(cell.owner) ?? cell.owner })) }
}

async function tallyHere(account: Account, userIds: UserIds, type: string, query: TallyQuery, budget: Budget | undefined): Promise<Tally> {
  const { state, amount, due } = recordType(type)
  const fields = ['OwnerID', 'CreatedDate', state, amount, due].filter((field) => field !== undefined)
  const states = new Cells<{ owner: string; state: string | null }>()
  const months = new Cells<{ month: string }>()
  const dues = new Cells<{ state: string | null; when: 'overdue' | 'soon' }>()
  const order = { field: 'CreatedDate', descending: true }
  const all = { ...(query.owners && { owners: query.owners }), where: query.where, order, limit: Number.MAX_SAFE_INTEGER, fields }
  for await (const page of matching(account, userIds, type, all, { prefetches: true, budget })) {
    for (const record of page) {
      const at = (state === undefined ? null : record[state]) as string | null
      const sum = amount === undefined ? null : (record[amount] as number | null)
      if (sum !== null && Math.abs(sum) > LARGEST_MONEY) throw tooLarge(account, type, record)
      states.add({ owner: (record.OwnerID as string | null) ?? NOBODY, state: at }, sum)
      months.add({ month: (record.CreatedDate as string).slice(0, 7) }, null)
      const when = due === undefined ? undefined : whenOf(record, due, query)
      if (when) dues.add({ state: at, when }, sum)
    }
  }
  return { states: states.list(), months: months.list(), due: dues.list() }
}

function tooLarge({ driver }: Account, type: string, record: StoredRecord): DriverError {
  const { id, amount } = recordType(type)
  return new DriverError('unsupported', `${amount} of the ${type} ${record[id]} on ${driver.name} has more digits than an exact sum can have.`, {
    hint: 'Correct it there, or leave it out with Filters.',
  })
}

function whenOf(record: StoredRecord, due: string, { today, soon }: TallyQuery): 'overdue' | 'soon' | undefined {
  const date = record[due] as string | null
  if (date === null) return undefined
  return date < today ? 'overdue' : date <= soon ? 'soon' : undefined
}

/** Counts and sums by what records have in common. */
class Cells<K extends object> {
  private readonly cells = new Map<string, K & { count: number; amounts: number; amount: bigint }>()

  add(key: K, amount: number | null): void {
    const name = JSON.stringify(Object.values(key))
    const cell = this.cells.get(name) ?? { ...key, count: 0, amounts: 0, amount: 0n }
    cell.count++
    if (amount !== null) {
      cell.amounts++
      cell.amount += scaled(amount)
    }
    this.cells.set(name, cell)
  }

  list() {
    return [...this.cells.values()]
  }
}
