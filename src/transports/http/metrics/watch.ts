/** The requests that were sent to look for changes, by the number of the workspace. */
export function watchMetrics(spent: ReadonlyMap<number, number> = new Map()): string {
  if (spent.size === 0) return ''
  return [
    '',
    '# HELP crm_watch_requests_total Requests to a CRM that looked for what others have changed in it.',
    '# TYPE crm_watch_requests_total counter',
    ...[...spent].map(([workspace, count]) => `crm_watch_requests_total{workspace="${workspace}"} ${count}`),
    '',
  ].join('\n')
}
