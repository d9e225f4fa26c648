import type { Context } from '../context.ts'
import { asCrmError, endOf } from '../errors.ts'

/** Runs some work and counts it in the metrics, with its outcome and its duration. */
export async function measured<T>({ metrics }: Context, name: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now()
  let code = 'ok'
  try {
    return await work()
  } catch (error) {
    code = endOf(asCrmError(error))
    throw error
  } finally {
    metrics.count(name, code, (performance.now() - started) / 1000)
  }
}
