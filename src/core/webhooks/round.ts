import type { Event } from '../../contract/records/event.ts'
import { Delivery } from '../../contract/records/webhook.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import { readEvents } from '../journal/events.ts'
import type { Caller, Service } from '../service.ts'

/** Events looked at in one round. */
const PAGE = 100
/** Beyond so many that wait, no further events are taken on: they are safe where they are. */
const MOST_WAITING = 1000

/** An event to be delivered; `delivery` is set where it has failed or waited before. */
export interface Item {
  readonly event: Event
  readonly delivery?: StoredRecord
}

/** What a webhook can be given now. */
export interface Plan {
  /** Each of one record, in order; different ones may be delivered at the same time. */
  readonly lanes: readonly (readonly Item[])[]
  /** New events that must wait for earlier ones of their record. */
  readonly held: readonly Item[]
  /** Deliveries whose event is no longer kept, or no longer for this webhook. */
  readonly lost: readonly StoredRecord[]
  /** How far events have been taken on. */
  readonly position: number
  /** When the next of those that wait is due; Infinity where none waits. */
  readonly nextDue: number
}

export interface Situation {
  readonly hook: StoredRecord
  /** Whoever the webhook belongs to: it receives what they may see. */
  readonly owner: Caller
  readonly now: number
  /** Whether all that waits is tried at once: the target has just come back. */
  readonly eager: boolean
  /** Whether only one is tried, to see whether the target is there again. */
  readonly knocking: boolean
}

export async function planRound(service: Service, situation: Situation): Promise<Plan> {
  const { hook, owner, now, eager, knocking } = situation
  const waiting = await waitingOf(service, hook, owner)
  const behind = grouped(waiting, ({ RecordID }) => RecordID as string)
  const due = [...behind.values()].filter(([first]) => eager || dueAt(first) <= now)
  const chosen = knocking ? [[...behind.values()][0]?.slice(0, 1) ?? []] : due.slice(0, PAGE)
  const lanes: Item[][] = []
  const lost: StoredRecord[] = []
  for (const rows of chosen) {
    const lane: Item[] = []
    for (const delivery of rows) {
      const event = await eventOf(service, owner, delivery)
      if (event && isWanted(hook, event)) lane.push({ event, delivery })
      else lost.push(delivery)
    }
    if (lane.length > 0) lanes.push(lane)
  }
  const nextDue = Math.min(Number.POSITIVE_INFINITY, ...[...behind.values()].map(([first]) => dueAt(first)))
  const position = await startOf(service, hook, owner)
  if (knocking || waiting.length >= MOST_WAITING) return { lanes, held: [], lost, position, nextDue }

  const page = await readEvents(service, owner, position, PAGE)
  const fresh = page.Events.filter((event) => isWanted(hook, event)).map((event): Item => ({ event }))
  const held = fresh.filter(({ event }) => behind.has(event.RecordID))
  const free = fresh.filter(({ event }) => !behind.has(event.RecordID))
  return { lanes: [...lanes, ...grouped(free, ({ event }) => event.RecordID).values()], held, lost, position: Number(page.NextCursor), nextDue }
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

const dueAt = (delivery: StoredRecord | undefined) => Date.parse((delivery?.NextAttempt as string | null) ?? '') || 0

async function waitingOf({ store }: Service, hook: StoredRecord, { workspace }: Caller): Promise<readonly StoredRecord[]> {
  const { records } = await store.reader(workspace.number).find(Delivery.name, {
    where: [
      { field: 'WebhookID', family: 'text', operator: 'eq', value: hook.WebhookID as string },
      { field: 'State', family: 'text', operator: 'eq', value: 'waiting' },
    ],
    order: { field: 'EventID', descending: false },
    limit: MOST_WAITING,
  })
  return records
}

async function eventOf(service: Service, owner: Caller, { EventID }: StoredRecord): Promise<Event | undefined> {
  const { Events } = await readEvents(service, owner, Number(EventID) - 1, 1)
  return Events[0]?.EventID === EventID ? Events[0] : undefined
}

/** Events that were let go while the webhook was paused can no longer be delivered. */
async function startOf({ store }: Service, hook: StoredRecord, { workspace }: Caller): Promise<number> {
  const { released } = await store.journal(workspace.number).span()
  return Math.max(hook.Position as number, released)
}

export function isWanted({ EventTypes }: StoredRecord, { Type }: Pick<Event, 'Type'>): boolean {
  const wanted = EventTypes as readonly string[]
  return wanted.includes('*') || wanted.includes(Type) || wanted.includes(`${Type.split('.')[0]}.*`)
}
