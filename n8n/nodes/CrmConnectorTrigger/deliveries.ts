import type { IDataObject } from 'n8n-workflow'

/** How many delivery ids are stored. */
const MAX_SEEN = 1000

/** For this time after a claim the execution may still be starting. */
const IN_PROGRESS_MS = 60_000

const inProgress = new Map<string, number>()

/**
 * Claims a delivery, which the service repeats until it is acknowledged: start the workflow, ignore a duplicate, or wait because it may be
 * starting right now. n8n stores the ids only once the execution has started, so a delivery whose execution failed to start counts as new.
 */
export function claimDelivery(stored: IDataObject, id: string, now = Date.now()): 'start' | 'duplicate' | 'in progress' {
  const seen = (stored.seen ?? []) as string[]
  if (seen.includes(id)) return 'duplicate'
  for (const [other, since] of inProgress) if (now - since >= IN_PROGRESS_MS) inProgress.delete(other)
  if (inProgress.has(id)) return 'in progress'
  inProgress.set(id, now)
  stored.seen = [...seen, id].slice(-MAX_SEEN)
  return 'start'
}
