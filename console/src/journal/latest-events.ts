import type { Crm, Event } from 'crm-connector'

/**
 * The newest events that the caller may see, newest first. The API returns events oldest first, so the number of the oldest one wanted is
 * taken from the changes, which come newest first: an event has the number of its change.
 */
export async function latestEvents(crm: Crm, most: number, signal: AbortSignal): Promise<Event[]> {
  const { Records } = await crm.changes.getMany(
    { Filters: { Outcome: 'ok', Number: { gt: 0 } }, OrderBy: 'Number desc', Limit: most, Select: ['Number'] },
    { signal },
  )
  const oldest = Records.at(-1)?.Number
  if (typeof oldest !== 'number') return []
  const { Events } = await crm.events.getMany({ After: String(oldest - 1).padStart(12, '0'), Limit: 1000 }, { signal })
  return Events.slice(-most).reverse()
}
