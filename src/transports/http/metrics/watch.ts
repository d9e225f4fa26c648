import type { Watch } from '../../../core/watch/watch.ts'

type Gauged = Pick<Watch, 'spent' | 'budgets' | 'exhausted' | 'repaired' | 'ages'>

/** What the watch of CRMs costs, by the name of the workspace, what it has repaired in their mirrors, and how old these are. */
export async function watchMetrics(watch: Gauged | undefined): Promise<string> {
  const spent = watch?.spent() ?? new Map<string, number>()
  if (!watch || spent.size === 0) return ''
  const [repaired, exhausted, ages] = [watch.repaired(), watch.exhausted(), await watch.ages()]
  const of = (workspace: string) => `workspace="${workspace}"`
  return [
    ...metric(
      'crm_watch_requests_total',
      'counter',
      'Requests to a CRM that looked for what others have changed in it.',
      [...spent].map(([workspace, count]) => [of(workspace), count]),
    ),
    ...metric(
      'crm_watch_requests_per_day',
      'gauge',
      'How many of these requests may be sent in a day.',
      [...watch.budgets()].map(([workspace, count]) => [of(workspace), count]),
    ),
    ...metric(
      'crm_watch_exhausted',
      'gauge',
      '1 while these requests are used up, so that further ones wait.',
      [...spent.keys()].map((workspace) => [of(workspace), exhausted.has(workspace) ? 1 : 0]),
    ),
    ...metric(
      'crm_mirror_age_seconds',
      'gauge',
      'For how long a mirror has no changes of its CRM; without those that are being backfilled.',
      [...ages].map(([workspace, age]) => [of(workspace), age]),
    ),
    ...metric(
      'crm_mirror_repaired_total',
      'counter',
      'Records in the mirror of a CRM that differed from it when that was verified, and were repaired.',
      repaired.map(({ workspace, type, records }) => [`${of(workspace)},type="${type}"`, records]),
    ),
    '',
  ].join('\n')
}

/** The lines of a metric; none where it has no values. */
function metric(name: string, kind: 'counter' | 'gauge', help: string, values: readonly (readonly [labels: string, value: number])[]): string[] {
  if (values.length === 0) return []
  return ['', `# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...values.map(([labels, value]) => `${name}{${labels}} ${value}`)]
}
