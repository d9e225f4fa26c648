import type { Retry } from '../../platform.ts'
import type { PerItem } from '../engine/driver.ts'
import { DriverError, withRetryable } from '../engine/errors.ts'
import { slices } from './selection.ts'

/** Records in one request at most. */
export const TOGETHER = 200

/** What is made of each, or what is wrong with it. */
export function attempted<T, R>(items: readonly T[], make: (item: T, at: number) => R): PerItem<R>[] {
  return items.map((item, at) => {
    try {
      return make(item, at)
    } catch (error) {
      if (error instanceof DriverError) return error
      throw error
    }
  })
}

/** Something that is sent to an object of Salesforce. */
interface Addressed {
  readonly table: { readonly object: string }
  /** Set where it has to be sent alone, since a list takes no conditions. */
  readonly unchangedSince?: string | undefined
}

/**
 * Sends the items of each object in batches as large as Salesforce accepts, and returns a result for each. Items that failed with a retryable
 * error are retried without the rest.
 */
export async function sendEach<T extends Addressed, R>(
  items: readonly PerItem<T>[],
  retry: Retry,
  send: (items: readonly T[]) => Promise<PerItem<R>[]>,
): Promise<PerItem<R>[]> {
  const results = new Map<number, PerItem<R>>()
  const groups = new Map<string, number[]>()
  for (const [at, item] of items.entries()) {
    if (item instanceof DriverError) {
      results.set(at, item)
      continue
    }
    const name = item.unchangedSince === undefined ? item.table.object : `${item.table.object} ${at}`
    const group = groups.get(name) ?? []
    groups.set(name, group)
    group.push(at)
  }
  for (const slice of [...groups.values()].flatMap((group) => [...slices(group, TOGETHER)])) {
    let open: readonly number[] = slice
    const attempt = async () => {
      const answers = await send(open.map((at) => items[at] as T)).catch((error: unknown): PerItem<R>[] => {
        if (error instanceof DriverError) return open.map(() => notRetryable(error))
        throw error
      })
      open.forEach((at, i) => {
        results.set(at, answers[i] as PerItem<R>)
      })
      open = open.filter((at) => isRetryable(results.get(at)))
      if (open[0] !== undefined) throw results.get(open[0])
    }
    await retry(attempt, (error) => ({ retryable: isRetryable(error), afterMs: (error as DriverError).retryAfterMs })).catch((error: unknown) => {
      if (!(error instanceof DriverError)) throw error
    })
  }
  return items.map((_, at) => results.get(at) as PerItem<R>)
}

const isRetryable = (result: unknown) => result instanceof DriverError && result.retryable

/** The same error, marked so that no caller retries it further. */
export const notRetryable = (error: DriverError) => withRetryable(error, false)
