import { setTimeout as pause } from 'node:timers/promises'
import { SHARED } from '../../contract/records/change.ts'
import { EVENT_TYPES, type Event } from '../../contract/records/event.ts'
import { createInTurn, type InTurn } from '../../helpers/in-turn.ts'
import type { StoredEvent, Workspace } from '../../platforms/store.ts'
import { readableEvents } from '../access/access.ts'
import { shareOf } from '../call/budget.ts'
import type { Caller, Service } from '../service.ts'
import { eventOf, storedEvents, typesIn } from './events.ts'
import type { Positions } from './positions.ts'

/** The events that a tail holds in memory: at most so many, with images of at most so many characters in all. */
const HELD = 5000
const HELD_CHARACTERS = 8_000_000

/** Events read at a time. */
const PAGE = 500

/** A page that a follower takes has at most about so many characters, which bounds what is buffered for one that does not read. */
const PAGE_CHARACTERS = 250_000

/** How long a tail waits before it retries a store that cannot be read. */
const RETRY_MS = 1000

/** After followers have had a turn there is a rest of so many times its length: however many follow, other work keeps most of the time. */
const REST = 8
const LONGEST_REST_MS = 1000

/** How many followers have their turn before other work has its own. */
const TOGETHER = 25

/** How many followers that are behind the tail read the store at the same time. */
const CATCHING_UP = 2

/** Events that such a follower reads at a time: large ones may not all fit into its page, and are read again. */
const CATCH_UP_PAGE = 50

const restAfter = (began: number) => Math.min(LONGEST_REST_MS, Math.floor(REST * (performance.now() - began)))

const ALL_TYPES = EVENT_TYPES.map(({ type }) => type)

type TypeOf = ReturnType<typeof typesIn>

/** An event that is parsed and serialised once for all who may see it, whatever its id is to them. */
export class TailEvent {
  readonly number: number
  readonly type: string
  readonly recordId: string
  readonly characters: number
  /** The present owner of the record: it changes when the record is given to another user. */
  owner: string | null
  private readonly stored: StoredEvent
  private readonly typeOf: TypeOf
  private parsed: Omit<Event, 'EventID'> | undefined
  private text: string | undefined
  private readonly ids = new Map<Positions, string>()

  constructor(stored: StoredEvent, typeOf: TypeOf) {
    this.number = stored.number
    this.type = stored.eventType
    this.recordId = stored.recordId
    this.characters = (stored.before?.length ?? 0) + ((stored.after ?? stored.before)?.length ?? 0)
    this.owner = stored.owner
    this.stored = stored
    this.typeOf = typeOf
  }

  /** The event without its images, once its record has been erased. */
  erased(): TailEvent {
    return new TailEvent({ ...this.stored, owner: this.owner, before: null, after: null }, this.typeOf)
  }

  idAt(positions: Positions): string {
    const id = this.ids.get(positions) ?? positions.eventId(this.number)
    this.ids.set(positions, id)
    return id
  }

  shownAt(positions: Positions): Event {
    return { EventID: this.idAt(positions), ...this.withoutId() }
  }

  /** The same as JSON. */
  jsonAt(positions: Positions): string {
    this.text ??= JSON.stringify(this.withoutId()).slice(1)
    return `{"EventID":"${this.idAt(positions)}",${this.text}`
  }

  private withoutId(): Omit<Event, 'EventID'> {
    this.parsed ??= eventOf(this.stored, this.typeOf)
    return this.parsed
  }
}

export interface TailPage {
  readonly events: readonly TailEvent[]
  /** The number up to which the journal was searched. */
  readonly upTo: number
}

/** One who follows the events of a workspace. */
export interface Follower {
  /**
   * The events after a number that the caller may see, in order. They come from memory, and `onMore` is called when it is the follower's turn
   * to read on. One that is further behind than the tail reaches back reads the store, and may read on at once.
   */
  read(caller: Caller, after: number, limit: number): TailPage | Promise<TailPage>
  end(): void
}

interface Shared {
  readonly tails: Map<number, Tail>
  readonly inTurn: InTurn
}

const services = new WeakMap<Service['store'], Shared>()

/** Follows the events of a workspace; `onMore` is called whenever there may be more of them. All followers of a workspace share one tail, which ends with the last. */
export function followTail(service: Service, workspace: Workspace, onMore: () => void): Follower {
  let shared = services.get(service.store)
  if (!shared) {
    shared = { tails: new Map(), inTurn: createInTurn(CATCHING_UP) }
    services.set(service.store, shared)
  }
  const { tails, inTurn } = shared
  const tail = tails.get(workspace.number) ?? new Tail(service, workspace)
  tails.set(workspace.number, tail)
  let ended = false
  // One function may follow several times.
  const listener = () => onMore()
  tail.listeners.add(listener)
  return {
    read(caller, after, limit) {
      return tail.read(caller, after, limit) ?? inTurn(shareOf(caller), () => catchUp(caller, after, limit))
    },
    end() {
      ended = true
      tail.listeners.delete(listener)
      if (tail.listeners.size > 0 || tails.get(workspace.number) !== tail) return
      tails.delete(workspace.number)
      tail.end()
    },
  }

  async function catchUp(caller: Caller, after: number, limit: number): Promise<TailPage> {
    if (ended) return { events: [], upTo: after }
    const began = performance.now()
    const page = tail.read(caller, after, limit) ?? (await readStore(service, caller, after, limit))
    await pause(restAfter(began))
    if (page.upTo > after) listener()
    return page
  }
}

async function readStore(service: Service, caller: Caller, after: number, limit: number): Promise<TailPage> {
  const { events, upTo } = await storedEvents(service, caller, after, Math.min(limit, CATCH_UP_PAGE))
  return firstOf(
    events.map((stored) => new TailEvent(stored, typesIn(service, caller.workspace))),
    upTo,
    limit,
  )
}

/** The first events of a list, as many as fit into a page. */
function firstOf(events: Iterable<TailEvent>, upTo: number, limit: number): TailPage {
  const page: TailEvent[] = []
  let characters = 0
  for (const event of events) {
    if (page.length === limit || (page.length > 0 && characters + event.characters > PAGE_CHARACTERS))
      return { events: page, upTo: page.at(-1)?.number as number }
    page.push(event)
    characters += event.characters
  }
  return { events: page, upTo }
}

/** Reads the new events of a workspace once for all who follow them, and holds the last of them. */
class Tail {
  readonly listeners = new Set<() => void>()
  private readonly service: Service
  private readonly workspace: number
  private readonly typeOf: TypeOf
  private readonly unwatch: () => void
  private readonly ending = new AbortController()
  private events: TailEvent[] = []
  /** All events after `from` and up to `upTo` are held; undefined while nothing is. */
  private from: number | undefined
  private upTo = 0
  /** The pages that followers have read in this turn. */
  private pages = new WeakMap<Caller, Map<string, TailPage>>()
  /** Whether to go on: something may have changed, or a follower has not read all yet. */
  private changed = true
  private behind = false
  private running = false
  /** The version of access data with which followers were last notified: they check their keys, and whether the workspace is served. */
  private access: number | undefined

  constructor(service: Service, workspace: Workspace) {
    this.service = service
    this.workspace = workspace.number
    this.typeOf = typesIn(service, workspace)
    this.unwatch = service.store.watch((changed) => {
      if (changed === undefined || changed === workspace.number) this.wake()
    })
    this.wake()
  }

  end(): void {
    this.unwatch()
    this.ending.abort()
  }

  /** Undefined where events after this number are no longer held. */
  read(caller: Caller, after: number, limit: number): TailPage | undefined {
    if (this.from === undefined || after < this.from) return undefined
    if (after >= this.upTo) return { events: [], upTo: after }
    const page = this.pageOf(caller, after, limit)
    if (page.upTo < this.upTo) {
      this.behind = true
      this.wake()
    }
    return page
  }

  /** Memoised, so that followers with the same key get the same page. */
  private pageOf(caller: Caller, after: number, limit: number): TailPage {
    const pages = this.pages.get(caller) ?? new Map<string, TailPage>()
    this.pages.set(caller, pages)
    const name = `${after} ${limit}`
    const page = pages.get(name) ?? firstOf(this.seenBy(caller, after), this.upTo, limit)
    pages.set(name, page)
    return page
  }

  private seenBy(caller: Caller, after: number): TailEvent[] {
    const types = readableEvents(caller)
    const { sees } = caller
    let first = this.events.length
    while (first > 0 && (this.events[first - 1] as TailEvent).number > after) first--
    return this.events
      .slice(first)
      .filter(({ type, owner }) => types.has(type) && (sees === undefined || owner === SHARED || (owner !== null && sees.has(owner))))
  }

  private wake(): void {
    this.changed = true
    if (!this.running) void this.run()
  }

  /** Reads what is new and lets the followers have it, for as long as there is something. */
  private async run(): Promise<void> {
    this.running = true
    while (this.changed && !this.ending.signal.aborted) {
      this.changed = false
      const restMs = await this.advance().catch(() => this.fail())
      if (restMs > 0) await pause(restMs, undefined, { signal: this.ending.signal, ref: false }).catch(() => {})
    }
    this.running = false
  }

  /** Resolves to how long to rest. */
  private async advance(): Promise<number> {
    const journal = this.service.store.journal(this.workspace)
    if (this.from === undefined) {
      this.from = this.upTo = (await journal.span()).newest
      return this.notify()
    }
    const { events, upTo } = await journal.events({ after: this.upTo, limit: PAGE, eventTypes: ALL_TYPES })
    if (upTo > this.upTo) {
      this.upTo = upTo
      this.changed = true
      this.add(events)
    } else if (!this.behind && this.service.store.accessVersion() === this.access) return 0
    this.access = this.service.store.accessVersion()
    return this.notify()
  }

  /** Lets the followers read the store themselves, and so report its error; the tail begins anew once it can. */
  private async fail(): Promise<number> {
    this.from = undefined
    this.events = []
    this.pages = new WeakMap()
    this.changed = true
    await this.notify()
    return RETRY_MS
  }

  private add(events: readonly StoredEvent[]): void {
    this.pages = new WeakMap()
    const owners = new Map(events.map(({ recordId, owner }) => [recordId, owner]))
    const erased = new Set(events.flatMap(({ eventType, recordId }) => (eventType.endsWith('.erased') ? [recordId] : [])))
    for (const held of this.events) held.owner = owners.get(held.recordId) ?? held.owner
    this.events = [
      ...this.events.map((held) => (erased.has(held.recordId) ? held.erased() : held)),
      ...events.map((stored) => new TailEvent(stored, this.typeOf)),
    ]
    let [first, characters] = [this.events.length, 0]
    while (first > 0 && this.events.length - first < HELD && characters < HELD_CHARACTERS) characters += this.events[--first]?.characters ?? 0
    if (first === 0) return
    this.from = this.events[first - 1]?.number
    this.events = this.events.slice(first)
  }

  /** Gives every follower its turn. Resolves to how long to rest afterwards. */
  private async notify(): Promise<number> {
    const began = performance.now()
    this.behind = false
    for (const [i, listener] of [...this.listeners].entries()) {
      listener()
      if (i % TOGETHER === TOGETHER - 1) await new Promise(setImmediate)
    }
    await new Promise(setImmediate)
    this.pages = new WeakMap()
    return restAfter(began)
  }
}
