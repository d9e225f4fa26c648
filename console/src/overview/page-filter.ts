import { recordType } from 'crm-connector/contract'
import type { FigureRow } from '../charts/figures.ts'
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
  /** When the records were created; undefined for all time. */
  readonly created: Span | undefined
  /** The filter as input of the summary operations. */
  readonly input: { readonly UserID?: string; readonly Filters?: { readonly CreatedDate: Span } }
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

const DAY_MS = 86_400_000

export const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
export const dayAfter = (day: string, days: number) => dayOf(Date.parse(day) + days * DAY_MS)
const midnight = (day: string) => `${day}T00:00:00.000Z`

/** Reads the address; invalid parts are ignored. Days are in UTC, as in the service. */
export function pageFilterOf(query: URLSearchParams, today: string, mayRead: MayRead): PageFilter {
  const owner = query.get('owner') || undefined
  const asked = query.get('period') ?? 'all'
  const period = Object.hasOwn(PERIODS, asked) ? (asked as Period) : 'all'
  const [from, to] = ['from', 'to'].map((name) => dayIn(query.get(name))) as [string, string]
  const created = spanOf(period, today, from, to)
  return { owner, period, from, to, mayRead, created, input: { ...(owner && { UserID: owner }), ...(created && { Filters: { CreatedDate: created } }) } }
}

const dayIn = (text: string | null) => (text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : '')

function spanOf(period: Period, today: string, from: string, to: string): Span | undefined {
  if (period === 'year') return { gte: midnight(`${today.slice(0, 4)}-01-01`) }
  if (period === '12m') return { gte: midnight(`${Number(today.slice(0, 4)) - 1}${today.slice(4).replace('-02-29', '-03-01')}`) }
  if (period === '90d') return { gte: midnight(dayAfter(today, -90)) }
  if (period === '30d') return { gte: midnight(dayAfter(today, -30)) }
  if (period === 'custom' && (from || to)) return { ...(from && { gte: midnight(from) }), ...(to && { lt: midnight(dayAfter(to, 1)) }) }
  return undefined
}

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

/** The text in place of an empty chart or list. */
export const nothingText = ({ owner, created }: PageFilter, noun: string, unfiltered: string) =>
  owner === undefined && created === undefined ? unfiltered : `No ${noun} match the filters above.`

export const isEmpty = ({ gte, lt }: Span) => gte !== undefined && lt !== undefined && gte >= lt

/** The filter in words, for saved pictures. */
export function pageFilterText({ owner, period, from, to }: PageFilter, nameOf: (id: string) => string): string {
  const days = [from && `from ${dayText(from)}`, to && `to ${dayText(to)}`].filter(Boolean).join(' ')
  return [owner ? nameOf(owner) : 'Everyone', period === 'custom' ? `created ${days || 'at any time'}` : PERIODS[period]].join(' · ')
}

type Where = { readonly [field: string]: unknown }

/** The link to the records behind a figure: the filter of the page and that of the figure. */
export function recordsAt(type: string, filter: PageFilter, where: Where = {}, order?: string): FigureRow['to'] {
  if (!filter.mayRead(type, 'getMany')) return undefined
  const whole: Where = { ...(filter.owner && { OwnerID: filter.owner }), ...(filter.created && { CreatedDate: filter.created }), ...where }
  return {
    path: [recordType(type).plural],
    query: { where: Object.keys(whole).length > 0 ? JSON.stringify(whole) : undefined, order },
  }
}
