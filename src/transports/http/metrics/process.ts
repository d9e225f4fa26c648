import { collectDefaultMetrics, Registry } from 'prom-client'

/** Starts to collect the metrics of the process itself. */
export function collectProcessMetrics(): () => Promise<string> {
  const register = new Registry()
  collectDefaultMetrics({ register })
  return () => register.metrics()
}
