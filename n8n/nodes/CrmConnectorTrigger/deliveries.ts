import type { IDataObject } from 'n8n-workflow'

/** So many deliveries are remembered. */
const REMEMBERED = 1000

/** So long nobody knows whether a delivery that was taken has started its execution. */
const UNDER_WAY_MS = 60_000

const underWay = new Map<string, number>()

/**
 * What is to be done with a delivery, which the service sends until it is acknowledged: start the workflow; nothing, because it has been
 * started; or wait, because it may be starting right now. n8n keeps what is remembered once the execution has started, so that a
 * delivery whose execution could not be started counts as never seen.
 */
export function takeUp(kept: IDataObject, id: string, now = Date.now()): 'start' | 'known' | 'under way' {
  const seen = (kept.seen ?? []) as string[]
  if (seen.includes(id)) return 'known'
  for (const [other, since] of underWay) if (now - since >= UNDER_WAY_MS) underWay.delete(other)
  if (underWay.has(id)) return 'under way'
  underWay.set(id, now)
  kept.seen = [...seen, id].slice(-REMEMBERED)
  return 'start'
}
