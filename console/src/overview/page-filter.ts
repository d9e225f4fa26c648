import { recordType } from 'crm-connector/contract'
import type { FigureRow } from '../charts/figures.ts'
import { type Day, dayAfter, PERIODS as filterPeriods, isDay, localToday, startOf } from '../filters/days.ts'
import { dayText } from '../parts/values.tsx'
import type { MayRead } from './may-read.ts'

/** A half-open range of timestamps. */
export interface Span {
  readonly gte?: string
  readonly lt?: string
}

/** The filter of the whole page, as its address has it. */
export interface PageFilter {
  readonly owner: string | undefined
  readonly period: Period
  readonly from: string
  readonly to: string
  /** Which record types the key may read. */
  readonly mayRead: MayRead
  /** When what is new was created; undefined for all time. */
  readonly created: Span | undefined
  /** The days of the period until today; undefined for all time. */
  readonly closed: DaySpan | undefined
  /** The input of the summaries of today's state, such as what is open: no period limits it. */
  readonly input: SummaryInput
  /** What was created in the period, and in the one of the same length before; undefined where it has no beginning. */
  readonly createdInput: SummaryInput | undefined
  readonly createdBefore: SummaryInput | undefined
  /** What closed in the period, whenever it was created, and what closed in the one before. */
  readonly closedInput: SummaryInput | undefined
  readonly closedBefore: SummaryInput | undefined
}

interface SummaryInput {
  readonly UserID?: string
  readonly Filters?: { readonly CreatedDate: Span } | { readonly CloseDate: DaySpan }
}

/** Days, both bounds included. */
interface DaySpan {
  readonly gte?: Day
  readonly lte?: Day
}

export const PERIODS = {
  all: 'All time',
  year: 'This year',
  '12m': 'Last 12 months',
  '90d': 'Last 90 days',
  '30d': 'Last 30 days',
  custom: 'Custom period',
} as const
export type Period = keyof typeof PERIODS

/** The periods of the address by their names among the filters of records, so that both count the same days. */
const FILTERED: { readonly [period in Period]?: string } = { year: 'thisYear', '12m': 'last12Months', '90d': 'last90Days', '30d': 'last30Days' }

const DAY_MS = 86_400_000

/** The day in UTC, by which the service says what is overdue. */
export const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Reads the address; invalid parts are ignored. The days of the period are those where the browser is. */
export function pageFilterOf(query: URLSearchParams, mayRead: MayRead, today = localToday()): PageFilter {
  const owner = query.get('owner') || undefined
  const asked = query.get('period') ?? 'all'
  const period = Object.hasOwn(PERIODS, asked) ? (asked as Period) : 'all'
  const [from, to] = ['from', 'to'].map((name) => dayIn(query.get(name))) as [string, string]
  const days = daysOf(period, today, from, to)
  const earlier = days && daysBefore(days, today)
  const created = days && momentsOf(days)
  const closed = days && { lte: today, ...days }
  const narrowed = (Filters: SummaryInput['Filters'] | undefined): SummaryInput => ({ ...(owner && { UserID: owner }), ...(Filters && { Filters }) })
  return {
    owner,
    period,
    from,
    to,
    mayRead,
    created,
    closed,
    input: narrowed(undefined),
    createdInput: created && narrowed({ CreatedDate: created }),
    createdBefore: earlier && narrowed({ CreatedDate: momentsOf(earlier) }),
    closedInput: closed && narrowed({ CloseDate: closed }),
    closedBefore: earlier && narrowed({ CloseDate: earlier }),
  }
}

function daysOf(period: Period, today: Day, from: string, to: string): DaySpan | undefined {
  if (period === 'custom') return from || to ? { ...(from && { gte: from }), ...(to && { lte: to }) } : undefined
  const named = FILTERED[period]
  const first = named && filterPeriods[named]?.days(today)[0]
  return first ? { gte: first } : undefined
}

/** As many days, which end where these begin. */
function daysBefore({ gte, lte }: DaySpan, today: Day): DaySpan | undefined {
  if (gte === undefined) return undefined
  const days = (Date.parse(lte ?? today) - Date.parse(gte)) / DAY_MS + 1
  return days > 0 ? { gte: dayAfter(gte, -days), lte: dayAfter(gte, -1) } : undefined
}

const momentsOf = ({ gte, lte }: DaySpan): Span => ({ ...(gte && { gte: startOf(gte) }), ...(lte && { lt: startOf(dayAfter(lte, 1)) }) })

const dayIn = (text: string | null) => (isDay(text) ? text : '')

/** The intersection of two ranges. */
export function within(one: Span | undefined, other: Span): Span {
  const gte = [one?.gte, other.gte]
    .filter((at) => at !== undefined)
    .sort()
    .at(-1)
  const lt = [one?.lt, other.lt].filter((at) => at !== undefined).sort()[0]
  return { ...(gte !== undefined && { gte }), ...(lt !== undefined && { lt }) }
}

/** Whether From is after To. */
export const isEmptyPeriod = ({ created }: PageFilter) => created !== undefined && isEmpty(created)

/** The text in place of an empty chart or list of today's state. */
export const nothingText = ({ owner }: PageFilter, noun: string, unfiltered: string) =>
  owner === undefined ? unfiltered : `No ${noun} match the filters above.`

/** The same where it is limited to the period. */
export const nothingNewText = (filter: PageFilter, noun: string, unfiltered: string) =>
  filter.created === undefined ? nothingText(filter, noun, unfiltered) : `No ${noun} match the filters above.`

export const isEmpty = ({ gte, lt }: Span) => gte !== undefined && lt !== undefined && gte >= lt

/** The period as it ends a sentence: `in the last 90 days`. Undefined for all time. */
export function periodWords({ created, period, from, to }: PageFilter): string | undefined {
  if (created === undefined) return undefined
  if (period === 'custom') return [from && `from ${dayText(from)}`, to && `${from ? 'to' : 'until'} ${dayText(to)}`].filter(Boolean).join(' ')
  return period === 'year' ? 'this year' : `in the ${PERIODS[period].toLowerCase()}`
}

/** What the figures of new records are limited to, where they are. */
export function createdWords(filter: PageFilter): string | undefined {
  const words = periodWords(filter)
  return words && `Created ${words}`
}

type Where = { readonly [field: string]: unknown }

/** The records that the period limits to those created in it. */
export const createdIn = ({ created }: PageFilter): Where => (created ? { CreatedDate: created } : {})

/** The link to the records behind a figure: the owner of the page and the filter of the figure. */
export function recordsAt(type: string, filter: PageFilter, where: Where = {}, order?: string): FigureRow['to'] {
  if (!filter.mayRead(type, 'getMany')) return undefined
  const whole: Where = { ...(filter.owner && { OwnerID: filter.owner }), ...where }
  return {
    path: [recordType(type).plural],
    query: { where: Object.keys(whole).length > 0 ? JSON.stringify(whole) : undefined, order },
  }
}
