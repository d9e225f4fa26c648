import { LIMITS } from '../../contract/limits.ts'
import { recordType } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { SHARED } from '../../contract/records/change.ts'
import { attachedIn, type Event, type EventName, IN_CRM } from '../../contract/records/event.ts'
import { createInTurn, type InTurn } from '../../helpers/in-turn.ts'
import type { Budget, StoredRecord } from '../../platforms/platform.ts'
import type { JournalReader, StoredEvent, Workspace } from '../../platforms/store.ts'
import { readableEvents } from '../access/access.ts'
import { cachedBinding } from '../binding.ts'
import { typeOn } from '../call/extension.ts'
import type { Caller, Service } from '../service.ts'
import { valuesBefore } from './changes.ts'

export interface EventPage {
  readonly Events: readonly Event[]
  readonly NextCursor: string
}

/** Events as the store has them, and the number up to which the journal was searched. */
export type StoredPage = Awaited<ReturnType<JournalReader['events']>>

/** The events after a number that a caller may see, as far as the store searches at once: there may be none although some follow. */
export function storedEvents(service: Service, caller: Caller, after: number, limit: number): Promise<StoredPage> {
  return service.store.journal(caller.workspace.number).events({
    after,
    limit,
    eventTypes: [...readableEvents(caller)],
    ...(caller.sees && { owners: [...caller.sees, SHARED] }),
  })
}

/** Searches of the store for one page. A journal that is longer between two events of a caller is read in several pages. */
const SEARCHES = 200

/**
 * A page of the events after a number: as many as fit, however many changes there are in between that the caller may not see, since the length of a page would
 * tell of them. All searches but the first take turns.
 */
export async function searchEvents(
  service: Service,
  caller: Caller,
  { after, newest, limit }: { readonly after: number; readonly newest: number; readonly limit: number },
  budget: Budget,
): Promise<StoredPage> {
  const events: StoredEvent[] = []
  let upTo = after
  let bytes = 0
  for (let searches = 0; searches < SEARCHES; searches++) {
    const search = () => storedEvents(service, caller, upTo, limit - events.length)
    const page = await (searches === 0 ? search() : inTurn(service, budget, search))
    for (const event of page.events) {
      bytes += Buffer.byteLength(event.before ?? '') + Buffer.byteLength(event.after ?? event.before ?? '')
      if (events.length > 0 && bytes > LIMITS.pageBytes) return { events, upTo: events.at(-1)?.number as number }
      events.push(event)
    }
    upTo = page.upTo
    // A page that ends with its last event was cut off there.
    if (events.length === limit || page.events.at(-1)?.number === upTo || upTo >= newest) break
  }
  return { events, upTo }
}

/** How many further searches are under way at the same time, so that calls which need many do not hold up others. */
const AT_ONCE = 2
const turns = new WeakMap<Service['store'], InTurn>()

function inTurn<T>({ store }: Service, { share, signal }: Budget, search: () => Promise<T>): Promise<T> {
  const take = turns.get(store) ?? createInTurn(AT_ONCE)
  turns.set(store, take)
  // SQLite searches at once: other calls come first.
  const later = () => new Promise(setImmediate).then(search)
  return take(share, later, signal)
}

/** The record types of a workspace, with what its platform says of their fields. */
export function typesIn(service: Service, workspace: Workspace): (recordType: string) => RecordType {
  const platform = cachedBinding(service, workspace).platformForNames
  return (type) => typeOn(platform, recordType(type))
}

/** The event of a change, without its id. */
export function eventOf(stored: Omit<StoredEvent, 'number' | 'owner'>, typeOf: (recordType: string) => RecordType = recordType): Omit<Event, 'EventID'> {
  const type = typeOf(stored.recordType)
  const imageIn = (text: string | null): StoredRecord | null => (text === null ? null : JSON.parse(text))
  const [before, after] = [imageIn(stored.before), imageIn(stored.after)]
  const attached = attachedIn(stored.eventType.slice(stored.eventType.indexOf('.') + 1) as EventName)
  const list = attached && type.children.find((child) => child.type === attached)?.list
  const changed = after && valuesBefore(attached === undefined ? type : recordType(attached), before, after)
  return {
    Type: stored.eventType,
    At: stored.at,
    RecordType: stored.recordType,
    RecordID: stored.recordId,
    UserID: stored.userId,
    Source: stored.transport === IN_CRM ? 'crm' : 'api',
    ChangeID: stored.changeId,
    BatchID: stored.batchId,
    // A note, comment or membership changes the list of its record that shows it.
    ChangedFields: list ? [list] : Object.keys(changed ?? {}),
    Before: before && (changed ?? before),
    Record: after ?? before,
  }
}
