import { recordType } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { SHARED } from '../../contract/records/change.ts'
import { attachedIn, type Event, type EventName } from '../../contract/records/event.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import type { JournalReader, StoredEvent } from '../../platforms/store.ts'
import { readableEvents } from '../access/access.ts'
import type { Caller, Service } from '../service.ts'
import { differences } from './changes.ts'

export interface EventPage {
  readonly Events: readonly Event[]
  readonly NextCursor: string
}

/** An event's number as an id that sorts the same way. */
export const eventIdOf = (number: number) => String(number).padStart(12, '0')

/** A page of the events a caller may see, from a number on. */
export async function readEvents(service: Service, caller: Caller, after: number, limit: number): Promise<EventPage> {
  const { events, upTo } = await storedEvents(service, caller, after, limit)
  return { Events: events.map(eventOf), NextCursor: eventIdOf(upTo) }
}

/** The same as the store has them. */
export function storedEvents(service: Service, caller: Caller, after: number, limit: number): ReturnType<JournalReader['events']> {
  return service.store.journal(caller.workspace.number).events({
    after,
    limit,
    eventTypes: [...readableEvents(caller)],
    ...(caller.sees && { owners: [...caller.sees, SHARED] }),
  })
}

export function eventOf(stored: Omit<StoredEvent, 'owner'>): Event {
  const type = recordType(stored.recordType)
  const [before, after] = [stored.before, stored.after].map((image) => (image === null ? null : (JSON.parse(image) as StoredRecord)))
  return {
    EventID: eventIdOf(stored.number),
    Type: stored.eventType,
    At: stored.at,
    RecordType: stored.recordType,
    RecordID: stored.recordId,
    UserID: stored.userId,
    ChangeID: stored.changeId,
    ChangedFields: changedFields(type, stored.eventType, before ?? null, after ?? null),
    Record: after ?? before ?? null,
  }
}

/** The fields that changed: of the record, or the list that shows its notes, comments or campaigns. */
function changedFields(type: RecordType, eventType: string, before: StoredRecord | null, after: StoredRecord | null): string[] {
  const attached = attachedIn(eventType.slice(eventType.indexOf('.') + 1) as EventName)
  const list = attached && type.children.find((child) => child.type === attached)?.list
  if (list) return [list]
  return after === null ? [] : Object.keys(differences(type, before, after))
}
