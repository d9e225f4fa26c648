import type { Crm } from 'crm-connector'
import type { Answer } from '../data/answer.ts'
import { useSession } from '../session/session.ts'
import { useLiveAnswer } from './live-answer.ts'
import { isEmpty, type PageFilter, type Span, within } from './page-filter.ts'

export type LeadSummary = Awaited<ReturnType<Crm['leads']['getSummary']>>
export type OpportunitySummary = Awaited<ReturnType<Crm['opportunities']['getSummary']>>
export type CaseSummary = Awaited<ReturnType<Crm['cases']['getSummary']>>

export interface Age {
  readonly label: string
  readonly span: Span
  readonly open: number
}

/** The summaries of the page, loaded in parallel. Undefined where the key does not allow them. */
export interface Summaries {
  readonly leads: Answer<LeadSummary> | undefined
  readonly opportunities: Answer<OpportunitySummary> | undefined
  readonly cases: Answer<{ readonly summary: CaseSummary; readonly ages: readonly Age[] }> | undefined
}

const DAY_MS = 86_400_000

/** The age of open cases in days. */
const AGES = [
  { label: 'Under 1 day', from: 0, to: 1 },
  { label: '1–7 days', from: 1, to: 7 },
  { label: '7–30 days', from: 7, to: 30 },
  { label: '30–90 days', from: 30, to: 90 },
  { label: 'Over 90 days', from: 90, to: Number.POSITIVE_INFINITY },
] as const

export function useSummaries(filter: PageFilter): Summaries {
  const { crm, may } = useSession()
  const { input } = filter
  const allowed = { leads: may('get_summary_of_leads'), opportunities: may('get_summary_opportunity'), cases: may('case_get_summary') }

  const asked = [crm, JSON.stringify(input)]
  const leads = useLiveAnswer('Lead', async (signal) => (allowed.leads ? crm.leads.getSummary(input, { signal }) : undefined), asked)
  const opportunities = useLiveAnswer(
    'Opportunity',
    async (signal) => (allowed.opportunities ? crm.opportunities.getSummary(input, { signal }) : undefined),
    asked,
  )
  const cases = useLiveAnswer('Case', async (signal) => (allowed.cases ? askCases(crm, filter, signal) : undefined), asked)
  return {
    leads: allowed.leads ? (leads as Answer<LeadSummary>) : undefined,
    opportunities: allowed.opportunities ? (opportunities as Answer<OpportunitySummary>) : undefined,
    cases: allowed.cases ? (cases as NonNullable<Summaries['cases']>) : undefined,
  }
}

async function askCases(crm: Crm, { created, input }: PageFilter, signal: AbortSignal) {
  const now = Date.now()
  const before = (days: number) => new Date(now - days * DAY_MS).toISOString()
  const spans = AGES.map(({ label, from, to }) => ({
    label,
    span: within(created, { ...(from > 0 && { lt: before(from) }), ...(Number.isFinite(to) && { gte: before(to) }) }),
  }))
  const openIn = async (span: Span) => (isEmpty(span) ? 0 : (await crm.cases.getSummary({ ...input, Filters: { CreatedDate: span } }, { signal })).Open.Count)
  const [summary, ...open] = await Promise.all([crm.cases.getSummary(input, { signal }), ...spans.map(({ span }) => openIn(span))])
  return { summary, ages: spans.map((age, i) => ({ ...age, open: open[i] ?? 0 })) }
}
