import { lazy } from '../../../helpers/lazy.ts'

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

const loadProcessMetrics = async () => (await import('./process.ts')).collectProcessMetrics()

/**
 * Counts calls in plain arrays: prom-client's own counters hash their labels at every call, which costs more than the rest
 * of this transport. It is loaded with the first scrape, for the metrics of the process.
 */
export function createMetrics(inFlight: () => number, more: () => string | Promise<string> = () => '', load = loadProcessMetrics): Metrics {
  const rows = new Map<string, Row>()
  const processMetrics = lazy(load)

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
      const collect = await processMetrics()
      return `${await collect()}\n${callMetrics(rows, inFlight())}${await more()}`
    },
  }
}

function callMetrics(rows: ReadonlyMap<string, Row>, inFlight: number): string {
  const lines = ['# HELP crm_http_in_flight Requests being executed right now.', '# TYPE crm_http_in_flight gauge', `crm_http_in_flight ${inFlight}`, '']

  lines.push('# HELP crm_calls_total Calls by operation and outcome: ok, the code of the refusal, or hung_up.', '# TYPE crm_calls_total counter')
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
