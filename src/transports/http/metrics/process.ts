import { collectDefaultMetrics, Registry } from 'prom-client'

/** The figures of the process itself, collected from now on. */
export function collectProcessMetrics(): () => Promise<string> {
  const register = new Registry()
  collectDefaultMetrics({ register })
  return () => register.metrics()
}
