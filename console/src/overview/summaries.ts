import type { Crm } from 'crm-connector'
import { type Answer, useAnswer } from '../data/answer.ts'
import { useLiveAnswer } from '../data/live-answer.ts'
import { useSession } from '../session/session.ts'
import type { PageFilter, Span } from './page-filter.ts'

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
  /** Those created in the period. */
  readonly leads: Answer<LeadSummary> | undefined
  /** All of them, as they are today. */
  readonly opportunities: Answer<OpportunitySummary> | undefined
  /** Those created in the period; all where there is none. */
  readonly created: Answer<OpportunitySummary> | undefined
  /** Those that closed in the period, where there is one; a deal created in it has hardly had the time. */
  readonly closed: Answer<OpportunitySummary> | undefined
  readonly cases: Answer<{ readonly summary: CaseSummary; readonly ages: readonly Age[] }> | undefined
  /** Those of the period before, where there is one. */
  readonly before: Before | undefined
}

export interface Before {
  readonly leads: LeadSummary | undefined
  readonly closed: OpportunitySummary | undefined
}

/** The groups of the summary. */
const LABELS = ['Under 1 day', '1–7 days', '7–30 days', '30–90 days', 'Over 90 days']

export function useSummaries(filter: PageFilter): Summaries {
  const { crm, may } = useSession()
  const { input, createdInput = input, closedInput } = filter
  const allowed = { leads: may('get_summary_of_leads'), opportunities: may('get_summary_opportunity'), cases: may('case_get_summary') }

  const asked = [crm, JSON.stringify(input)]
  const askedNew = [crm, JSON.stringify(createdInput)]
  const leads = useLiveAnswer('Lead', async (signal) => (allowed.leads ? crm.leads.getSummary(createdInput, { signal }) : undefined), askedNew)
  const opportunities = useLiveAnswer(
    'Opportunity',
    async (signal) => (allowed.opportunities ? crm.opportunities.getSummary({ ...input, Forecast: true }, { signal }) : undefined),
    asked,
  )
  const created = useLiveAnswer(
    'Opportunity',
    async (signal) => (allowed.opportunities && filter.createdInput ? crm.opportunities.getSummary(filter.createdInput, { signal }) : undefined),
    [crm, JSON.stringify(filter.createdInput)],
  )
  const closed = useLiveAnswer(
    'Opportunity',
    async (signal) => (allowed.opportunities && closedInput ? crm.opportunities.getSummary({ ...closedInput, Forecast: true }, { signal }) : undefined),
    [crm, JSON.stringify(closedInput)],
  )
  const cases = useLiveAnswer('Case', async (signal) => (allowed.cases ? askCases(crm, filter, signal) : undefined), asked)
  const before = useAnswer(async (signal) => askBefore(crm, allowed, filter, signal), [crm, JSON.stringify([filter.createdBefore, filter.closedBefore])])
  return {
    before: filter.createdBefore && before.answer,
    closed: allowed.opportunities && closedInput ? (closed as Answer<OpportunitySummary>) : undefined,
    created: allowed.opportunities ? ((filter.createdInput ? created : opportunities) as Answer<OpportunitySummary>) : undefined,
    leads: allowed.leads ? (leads as Answer<LeadSummary>) : undefined,
    opportunities: allowed.opportunities ? (opportunities as Answer<OpportunitySummary>) : undefined,
    cases: allowed.cases ? (cases as NonNullable<Summaries['cases']>) : undefined,
  }
}

async function askBefore(
  crm: Crm,
  allowed: { readonly leads: boolean; readonly opportunities: boolean },
  { createdBefore, closedBefore }: PageFilter,
  signal: AbortSignal,
): Promise<Before> {
  const [leads, closed] = await Promise.all([
    allowed.leads && createdBefore ? crm.leads.getSummary(createdBefore, { signal }) : undefined,
    allowed.opportunities && closedBefore ? crm.opportunities.getSummary(closedBefore, { signal }) : undefined,
  ])
  return { leads, closed }
}

async function askCases(crm: Crm, { input }: PageFilter, signal: AbortSignal) {
  const summary = await crm.cases.getSummary({ ...input, Ages: true }, { signal })
  return {
    summary,
    ages: (summary.OpenByAge ?? []).map(({ From, To, Count }, nth) => ({
      label: LABELS[nth] ?? '',
      span: { ...(To !== null && { lt: To }), ...(From !== null && { gte: From }) },
      open: Count,
    })),
  }
}
