import type { Event } from '../../contract/records/event.ts'
import { Delivery, type Webhook } from '../../contract/records/webhook.ts'
import { findRecords, type RecordOf } from '../call/records.ts'
import { storedEvents, typesIn } from '../journal/events.ts'
import { type Positions, positionsOf } from '../journal/positions.ts'
import { type Follower, TailEvent } from '../journal/tail.ts'
import type { Caller, Service } from '../service.ts'

export type StoredWebhook = RecordOf<typeof Webhook>
type StoredDelivery = RecordOf<typeof Delivery>

/** Events read in one round. */
const PAGE = 100
/** With so many waiting deliveries no further events are read; the journal keeps them. */
const MAX_WAITING = 1000

/** An event to be delivered; `delivery` is set where it has failed or waited before. */
export interface Item {
  readonly number: number
  readonly event: Event
  /** The event as it is sent. */
  readonly json: string
  readonly delivery?: StoredDelivery
}

/** What can be delivered to a webhook now. */
export interface Round {
  /** The events of one record each, in order; lanes are delivered concurrently. */
  readonly lanes: readonly (readonly Item[])[]
  /** New events that must wait for earlier ones of their record. */
  readonly held: readonly Item[]
  /** Deliveries whose event is no longer kept, or no longer for this webhook. */
  readonly lost: readonly StoredDelivery[]
  /** The number of the last event that was read. */
  readonly position: number
  /** When the next waiting delivery is due; Infinity where none waits. */
  readonly nextDue: number
}

export interface Situation {
  readonly hook: StoredWebhook
  /** The webhook receives the events that its owner may see. */
  readonly owner: Caller
  readonly now: number
  /** Whether the target has just answered again, so that all waiting deliveries are tried at once. */
  readonly recovered: boolean
  /** Whether only one delivery is tried, to find out whether the target answers again. */
  readonly probing: boolean
}

export async function planRound(service: Service, follower: Follower, situation: Situation): Promise<Round> {
  const { hook, owner, now, recovered, probing } = situation
  const waiting = await waitingOf(service, hook, owner)
  const waitingByRecord = grouped(waiting, ({ RecordID }) => RecordID)
  const due = [...waitingByRecord.values()].filter(([first]) => recovered || dueAt(first) <= now)
  const chosen = probing ? [[...waitingByRecord.values()][0]?.slice(0, 1) ?? []] : due.slice(0, PAGE)
  const positions = positionsOf(service, owner)
  const lanes: Item[][] = []
  const lost: StoredDelivery[] = []
  for (const rows of chosen) {
    const lane: Item[] = []
    for (const delivery of rows) {
      const event = await eventOf(service, owner, delivery)
      if (event && isWanted(hook, event)) lane.push({ ...itemOf(event, positions), delivery })
      else lost.push(delivery)
    }
    if (lane.length > 0) lanes.push(lane)
  }
  const nextDue = Math.min(Number.POSITIVE_INFINITY, ...[...waitingByRecord.values()].map(([first]) => dueAt(first)))
  const position = await startOf(service, hook, owner)
  if (probing || waiting.length >= MAX_WAITING) return { lanes, held: [], lost, position, nextDue }

  const { events, upTo } = await follower.read(owner, position, PAGE)
  const fresh = events.filter((event) => isWanted(hook, event)).map((event) => itemOf(event, positions))
  const held = fresh.filter(({ event }) => waitingByRecord.has(event.RecordID))
  const free = fresh.filter(({ event }) => !waitingByRecord.has(event.RecordID))
  return { lanes: [...lanes, ...grouped(free, ({ event }) => event.RecordID).values()], held, lost, position: upTo, nextDue }
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

const dueAt = (delivery: StoredDelivery | undefined) => Date.parse(delivery?.NextAttempt ?? '') || 0

function waitingOf({ store }: Service, hook: StoredWebhook, { workspace }: Caller): Promise<readonly StoredDelivery[]> {
  return findRecords(store.reader(workspace.number), Delivery, {
    where: [
      { field: 'WebhookID', family: 'text', operator: 'eq', value: hook.WebhookID },
      { field: 'State', family: 'text', operator: 'eq', value: 'waiting' },
    ],
    order: { field: 'EventID', descending: false },
    limit: MAX_WAITING,
  })
}

/** The event as its id is to the owner of the webhook. */
const itemOf = (event: TailEvent, positions: Positions): Item => ({ number: event.number, event: event.shownAt(positions), json: event.jsonAt(positions) })

/** The EventID of a delivery is the number of the event: only admins see deliveries. */
async function eventOf(service: Service, owner: Caller, { EventID }: StoredDelivery): Promise<TailEvent | undefined> {
  const number = Number(EventID)
  const [stored] = (await storedEvents(service, owner, number - 1, 1)).events
  return stored?.number === number ? new TailEvent(stored, typesIn(service, owner.workspace)) : undefined
}

/** Events that the sweep has deleted while the webhook was paused are skipped. */
async function startOf({ store }: Service, hook: StoredWebhook, { workspace }: Caller): Promise<number> {
  const { released } = await store.journal(workspace.number).span()
  return Math.max(hook.Position, released)
}

export function isWanted({ EventTypes }: Pick<StoredWebhook, 'EventTypes'>, { type }: Pick<TailEvent, 'type'>): boolean {
  return EventTypes.includes('*') || EventTypes.includes(type) || EventTypes.includes(`${type.split('.')[0]}.*`)
}
