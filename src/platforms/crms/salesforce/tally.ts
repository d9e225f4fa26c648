import { scaled } from '../../../contract/money.ts'
import { recordType } from '../../../contract/operations.ts'
import { NOBODY } from '../../../contract/records/user.ts'
import type { Tally, TallyQuery } from '../../platform.ts'
import type { DriverQuery } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place, Table } from '../engine/tables.ts'
import { placeOf, toOurWord } from '../engine/translation.ts'
import type { Api, Row } from './api.ts'
import { whereOf } from './selection.ts'

/** Sums that are larger have lost their last digits on the way. */
const LARGEST_SUM = 1e13

type Query = Omit<TallyQuery, 'where'> & Pick<DriverQuery, 'where'>

interface Parts {
  readonly owner: Place
  readonly state: Place
  readonly created: Place
  readonly amount: Place | undefined
  readonly due: Place | undefined
}

/** The figures behind a summary, grouped by Salesforce; undefined if it cannot, or has more groups than fit into one response. */
export async function tallied(api: Api, type: string, table: Table, query: Query, ...more: string[]): Promise<Tally | undefined> {
  const parts = partsOf(type, table)
  if (!parts) return undefined
  const { owner, state, created, amount, due } = parts
  const sums = amount ? `, COUNT(${amount.name}) amounts, SUM(${amount.name}) amount` : ''
  const from = ` FROM ${table.object}`
  const month = `CALENDAR_YEAR(${created.name}), CALENDAR_MONTH(${created.name})`
  const late = (when: string) => `SELECT ${state.name} state, COUNT(Id) n${sums}${from}${whereOf(table, query, when, ...more)} GROUP BY ${state.name}`
  try {
    const [states, months, overdue, soon] = await Promise.all([
      grouped(
        api,
        `SELECT ${owner.name} owner, ${state.name} state, COUNT(Id) n${sums}${from}${whereOf(table, query, ...more)} GROUP BY ${owner.name}, ${state.name}`,
      ),
      grouped(
        api,
        `SELECT CALENDAR_YEAR(${created.name}) year, CALENDAR_MONTH(${created.name}) month, COUNT(Id) n${from}${whereOf(table, query, ...more)} GROUP BY ${month}`,
      ),
      due ? grouped(api, late(`${due.name} < ${query.today}`)) : [],
      due ? grouped(api, late(`${due.name} >= ${query.today} AND ${due.name} <= ${query.soon}`)) : [],
    ])
    if ([...states, ...overdue, ...soon].some((row) => Math.abs(Number(row.amount ?? 0)) >= LARGEST_SUM)) return undefined
    const cell = (row: Row) => ({ state: wordIn(state, row.state), count: Number(row.n), amount: scaled(Number(row.amount ?? 0)) })
    return {
      states: states.map((row) => ({ ...cell(row), owner: (row.owner as string | null) ?? NOBODY, amounts: Number(row.amounts ?? 0) })),
      months: months.map((row) => ({ month: `${row.year}-${String(row.month).padStart(2, '0')}`, count: Number(row.n) })),
      due: [...overdue.map((row) => ({ ...cell(row), when: 'overdue' as const })), ...soon.map((row) => ({ ...cell(row), when: 'soon' as const }))],
    }
  } catch (error) {
    if (error instanceof DriverError && error.code === 'too_large') return undefined
    throw error
  }
}

function partsOf(type: string, table: Table): Parts | undefined {
  const { state: stateField, amount: amountField, due: dueField } = recordType(type)
  const place = (field: string | undefined) => (field === undefined ? undefined : placeOf(table, field))
  const [owner, state, created, amount, due] = [place('OwnerID'), place(stateField), place('CreatedDate'), place(amountField), place(dueField)]
  if (!owner || !state || !created || (amountField !== undefined && !amount) || (dueField !== undefined && !due)) return undefined
  return [owner, state, created, amount, due].some((one) => one?.filters === false) ? undefined : { owner, state, created, amount, due }
}

/** Grouped queries have no pages: if the groups exceed one response, Salesforce refuses the query or reports that there are more. */
async function grouped(api: Api, soql: string): Promise<readonly Row[]> {
  const { records, done } = await api.query(soql)
  if (!done) throw new DriverError('too_large', 'Salesforce has more groups than fit into one response.')
  return records
}

const wordIn = (place: Place, raw: unknown) => (raw === null || raw === undefined ? null : (toOurWord(place, raw as string) as string))
