import { RECORD_TYPES, recordType } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { SHARED } from '../../contract/records/change.ts'
import type { Event, Happening } from '../../contract/records/event.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import type { StoredEvent } from '../../platforms/store.ts'
import { mayRead } from '../access/access.ts'
import type { Caller, Service } from '../service.ts'
import { differences } from './changes.ts'

export interface EventPage {
  readonly Events: readonly Event[]
  readonly NextCursor: string
}

/** A number as an id that sorts by it. */
export const eventIdOf = (number: number) => String(number).padStart(12, '0')

/** A page of the events a caller may see, from a number on. */
export async function readEvents(service: Service, caller: Caller, after: number, limit: number): Promise<EventPage> {
  const { events, upTo } = await service.store.journal(caller.workspace.number).events({
    after,
    limit,
    recordTypes: RECORD_TYPES.filter((type) => mayRead(caller, type)).map(({ name }) => name),
    ...(caller.sees && { owners: [...caller.sees, SHARED] }),
  })
  return { Events: events.map(eventOf), NextCursor: eventIdOf(upTo) }
}

export function eventOf(announced: StoredEvent): Event {
  const type = recordType(announced.recordType)
  const [before, after] = [announced.before, announced.after].map((image) => (image === null ? null : (JSON.parse(image) as StoredRecord)))
  return {
    EventID: eventIdOf(announced.number),
    Type: announced.eventType,
    At: announced.at,
    RecordType: announced.recordType,
    RecordID: announced.recordId,
    UserID: announced.userId,
    ChangeID: announced.changeId,
    ChangedFields: changedFields(type, announced.eventType, before ?? null, after ?? null),
    Record: after ?? before ?? null,
  }
}

/** What another is now: fields of the record, or the list of what hangs on it. */
function changedFields(type: RecordType, eventType: string, before: StoredRecord | null, after: StoredRecord | null): string[] {
  const hung = HUNG[eventType.slice(eventType.indexOf('.') + 1)]
  if (hung) return [hung]
  return after === null ? [] : Object.keys(differences(type, before, after))
}

/** The list that grows or shrinks when something is hung on a record or taken off it. */
const HUNG: { readonly [happening: string]: string | undefined } = {
  note_added: 'Notes',
  note_removed: 'Notes',
  comment_added: 'Comments',
  comment_removed: 'Comments',
  added_to_campaign: 'Campaigns',
  removed_from_campaign: 'Campaigns',
} satisfies { readonly [H in Happening]?: string }
