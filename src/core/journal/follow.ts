import type { FollowOptions } from '../../contract/client/transport.ts'
import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { getManyEvents, type KnownEvent } from '../../contract/records/event.ts'
import { allowOperation } from '../access/access.ts'
import { refuseUnserved } from '../access/served.ts'
import { execute } from '../call/execute.ts'
import type { Caller, Service } from '../service.ts'
import type { EventPage } from './events.ts'
import { positionsOf } from './positions.ts'
import { type Follower, followTail } from './tail.ts'

/** How often a follower polls without events, which also checks its key. */
const POLL_MS = 5000

/** How long a follower waits before it retries a store that cannot be reached. */
const RETRY_MS = 1000

/** Events as they are committed, each once and in order, until the signal aborts, the key ends or the consumer stops. */
export async function* followEvents(
  service: Service,
  caller: () => Caller | Promise<Caller>,
  transport: string,
  { after, signal }: FollowOptions = {},
): AsyncGenerator<KnownEvent> {
  const waiting = createWaiting(signal)
  let follower: Follower | undefined
  try {
    let position: number | undefined
    for (;;) {
      signal?.throwIfAborted()
      waiting.reset()
      const page = await read().catch(unlessUnavailable)
      for (const event of page?.events ?? []) {
        signal?.throwIfAborted()
        yield event as KnownEvent
      }
      const moved = page !== undefined && page.upTo !== position
      position = page?.upTo ?? position
      if (!moved) await waiting.wait(page ? POLL_MS : RETRY_MS)
    }

    async function read(): Promise<{ readonly events: readonly object[]; readonly upTo: number }> {
      const who = await caller()
      await refuseUnserved(service.store, who.workspace)
      const positions = positionsOf(service, who)
      follower ??= followTail(service, who.workspace, waiting.notice)
      if (position !== undefined) {
        allowOperation(who, getManyEvents)
        const { events, upTo } = await follower.read(who, position, LIMITS.defaultEvents)
        return { events: events.map((event) => event.shownAt(positions)), upTo }
      }
      const After = after ?? positions.cursor((await service.store.journal(who.workspace.number).span()).newest)
      const { result } = await execute(service, { operation: getManyEvents.id, input: { After }, caller: who, transport })
      const { Events, NextCursor } = result as EventPage
      return { events: Events, upTo: positions.read(NextCursor) as number }
    }
  } finally {
    follower?.end()
    waiting.end()
  }

  function unlessUnavailable(error: unknown): undefined {
    const code = error instanceof CrmError ? error.code : service.store.classify(error)?.code
    if (code !== 'platform_unavailable') throw error
  }
}

/** Waits for a notice, or the abort of the signal. */
function createWaiting(signal: AbortSignal | undefined) {
  let noticed = false
  let wake = () => {}
  const notice = () => {
    noticed = true
    wake()
  }
  signal?.addEventListener('abort', notice)
  return {
    notice,
    reset() {
      noticed = false
    },
    /** Resolves at the first notice since the reset, or after `ms`. The timer also keeps the process alive. */
    wait(ms: number): Promise<void> {
      if (noticed) return Promise.resolve()
      return new Promise((resolve) => {
        const timer = setTimeout(done, ms)
        wake = done
        function done() {
          clearTimeout(timer)
          wake = () => {}
          resolve()
        }
      })
    },
    end() {
      signal?.removeEventListener('abort', notice)
    },
  }
}
