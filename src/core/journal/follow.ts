import type { FollowOptions } from '../../contract/client/transport.ts'
import { CrmError } from '../../contract/errors.ts'
import { getManyEvents, type KnownEvent } from '../../contract/records/event.ts'
import { execute } from '../call/execute.ts'
import type { Caller, Service } from '../service.ts'
import { type EventPage, eventIdOf } from './events.ts'

/** How often a quiet follower looks whether its key still lives. */
const LOOK_MS = 5000

/** How long a follower waits for a store that cannot be reached. */
const PATIENCE_MS = 1000

/** Events as they happen, each once and in order, until the signal aborts, the key ends or whoever listens goes. */
export async function* followEvents(
  service: Service,
  caller: () => Caller | Promise<Caller>,
  transport: string,
  { after, signal }: FollowOptions = {},
): AsyncGenerator<KnownEvent> {
  const ear = listen(service, signal)
  try {
    let place = after
    for (;;) {
      signal?.throwIfAborted()
      ear.hush()
      const page = await read().catch(unlessGone)
      for (const event of page?.Events ?? []) {
        signal?.throwIfAborted()
        yield event as KnownEvent
      }
      const moved = page !== undefined && page.NextCursor !== place
      place = page?.NextCursor ?? place
      if (!moved) await ear.wait(page ? LOOK_MS : PATIENCE_MS)
    }

    async function read(): Promise<EventPage> {
      const who = await caller()
      place ??= eventIdOf((await service.store.journal(who.workspace.number).span()).newest)
      const { result } = await execute(service, { operation: getManyEvents.id, input: { After: place }, caller: who, transport })
      return result as EventPage
    }
  } finally {
    ear.end()
  }

  function unlessGone(error: unknown): undefined {
    const code = error instanceof CrmError ? error.code : service.store.classify(error)?.code
    if (code !== 'platform_unavailable') throw error
  }
}

/** Hears when something has been written, or the signal aborts. */
function listen(service: Service, signal: AbortSignal | undefined) {
  let heard = false
  let wake = () => {}
  const stir = () => {
    heard = true
    wake()
  }
  const unwatch = service.store.watch(stir)
  signal?.addEventListener('abort', stir)
  return {
    hush() {
      heard = false
    },
    /** Until something is heard since the hush, but no longer than so. The timer also keeps the process from ending meanwhile. */
    wait(ms: number): Promise<void> {
      if (heard) return Promise.resolve()
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
      signal?.removeEventListener('abort', stir)
    },
  }
}
