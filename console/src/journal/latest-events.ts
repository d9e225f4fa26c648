import type { Crm, Event } from 'crm-connector'

/**
 * The newest events that the caller may see, newest first. The API returns events oldest first, so where to begin is taken from the changes, which come newest
 * first: with the events after the last change that is too old.
 */
export async function latestEvents(crm: Crm, most: number, signal: AbortSignal): Promise<Event[]> {
  const { Records } = await crm.changes.getMany({ Filters: { Outcome: 'ok' }, Limit: most + 1, Select: ['At'] }, { signal })
  const { Events } = await crm.events.getMany({ After: Records[most]?.ChangeID ?? null, Limit: 1000 }, { signal })
  return Events.slice(-most).reverse()
}
