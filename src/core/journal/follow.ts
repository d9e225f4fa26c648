import type { FollowOptions } from '../../contract/client/transport.ts'
import { CrmError } from '../../contract/errors.ts'
import { getManyEvents, type KnownEvent } from '../../contract/records/event.ts'
import { execute } from '../call/execute.ts'
import type { Caller, Service } from '../service.ts'
import { type EventPage, eventIdOf } from './events.ts'

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
  const writes = watchWrites(service, signal)
  try {
    let position = after
    for (;;) {
      signal?.throwIfAborted()
      writes.reset()
      const page = await read().catch(unlessUnavailable)
      for (const event of page?.Events ?? []) {
        signal?.throwIfAborted()
        yield event as KnownEvent
      }
      const moved = page !== undefined && page.NextCursor !== position
      position = page?.NextCursor ?? position
      if (!moved) await writes.wait(page ? POLL_MS : RETRY_MS)
    }

    async function read(): Promise<EventPage> {
      const who = await caller()
      position ??= eventIdOf((await service.store.journal(who.workspace.number).span()).newest)
      const { result } = await execute(service, { operation: getManyEvents.id, input: { After: position }, caller: who, transport })
      return result as EventPage
    }
  } finally {
    writes.end()
  }

  function unlessUnavailable(error: unknown): undefined {
    const code = error instanceof CrmError ? error.code : service.store.classify(error)?.code
    if (code !== 'platform_unavailable') throw error
  }
}

/** Notices writes to the store, and the abort of the signal. */
function watchWrites(service: Service, signal: AbortSignal | undefined) {
  let noticed = false
  let wake = () => {}
  const notice = () => {
    noticed = true
    wake()
  }
  const unwatch = service.store.watch(notice)
  signal?.addEventListener('abort', notice)
  return {
    reset() {
      noticed = false
    },
    /** Resolves at the first write since the reset, or after `ms`. The timer also keeps the process alive. */
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
      unwatch()
      signal?.removeEventListener('abort', notice)
    },
  }
}
