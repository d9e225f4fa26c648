/** Upper bounds in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

interface Row {
  readonly codes: Map<string, number>
  /** How many calls fell into each bucket, the last being those beyond all bounds. */
  readonly buckets: number[]
  seconds: number
}

export interface Metrics {
  /** Counts one call. `operation` is an id of the contract or `unknown`, so that the labels stay bounded. */
  count(operation: string, code: string, seconds: number): void
  /** Everything in the Prometheus text format. */
  text(): Promise<string>
}

/**
 * Counts calls in plain arrays: prom-client's own counters hash their labels at every call, which costs more than the rest
 * of this transport. It is loaded at the first scrape, for the figures of the process.
 */
export function createMetrics(underWay: () => number, more: () => string = () => ''): Metrics {
  const rows = new Map<string, Row>()
  let processMetrics: Promise<() => Promise<string>> | undefined

  return {
    count(operation, code, seconds) {
      let row = rows.get(operation)
      if (row === undefined) {
        row = { codes: new Map(), buckets: Array<number>(BUCKETS.length + 1).fill(0), seconds: 0 }
        rows.set(operation, row)
      }
      row.codes.set(code, (row.codes.get(code) ?? 0) + 1)
      let bucket = 0
      while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] ?? 0)) bucket += 1
      row.buckets[bucket] = (row.buckets[bucket] ?? 0) + 1
      row.seconds += seconds
    },
    async text() {
      processMetrics ??= import('./process-metrics.ts').then(({ collectProcess }) => collectProcess())
      return `${await (await processMetrics)()}\n${callMetrics(rows, underWay())}${more()}`
    },
  }
}

function callMetrics(rows: ReadonlyMap<string, Row>, underWay: number): string {
  const lines = ['# HELP crm_http_in_flight Requests being carried out right now.', '# TYPE crm_http_in_flight gauge', `crm_http_in_flight ${underWay}`, '']

  lines.push('# HELP crm_calls_total Calls by operation and outcome: ok, or the code of the refusal.', '# TYPE crm_calls_total counter')
  for (const [operation, { codes }] of rows) {
    for (const [code, count] of codes) lines.push(`crm_calls_total{operation="${operation}",code="${code}"} ${count}`)
  }

  lines.push('', '# HELP crm_call_seconds How long calls took.', '# TYPE crm_call_seconds histogram')
  for (const [operation, { buckets, seconds }] of rows) {
    let count = 0
    buckets.forEach((calls, i) => {
      count += calls
      lines.push(`crm_call_seconds_bucket{operation="${operation}",le="${BUCKETS[i] ?? '+Inf'}"} ${count}`)
    })
    lines.push(`crm_call_seconds_sum{operation="${operation}"} ${seconds}`, `crm_call_seconds_count{operation="${operation}"} ${count}`)
  }
  return `${lines.join('\n')}\n`
}
