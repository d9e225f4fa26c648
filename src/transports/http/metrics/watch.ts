import type { Watch } from '../../../core/watch/watch.ts'

/** The requests that were sent to look for changes, by the number of the workspace, and what was repaired in mirrors. */
export function watchMetrics(watch: Pick<Watch, 'spent' | 'repaired'> | undefined): string {
  const [spent, repaired] = [watch?.spent() ?? new Map<number, number>(), watch?.repaired() ?? []]
  if (spent.size === 0) return ''
  return [
    '',
    '# HELP crm_watch_requests_total Requests to a CRM that looked for what others have changed in it.',
    '# TYPE crm_watch_requests_total counter',
    ...[...spent].map(([workspace, count]) => `crm_watch_requests_total{workspace="${workspace}"} ${count}`),
    '',
    ...(repaired.length === 0
      ? []
      : [
          '# HELP crm_mirror_repaired_total Records in the mirror of a CRM that differed from it when that was verified, and were repaired.',
          '# TYPE crm_mirror_repaired_total counter',
          ...repaired.map(({ workspace, type, records }) => `crm_mirror_repaired_total{workspace="${workspace}",type="${type}"} ${records}`),
          '',
        ]),
  ].join('\n')
}
