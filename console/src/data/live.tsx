import type { Event } from 'crm-connector'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { useSession } from '../session/session.ts'

type Listener = (event: Event) => void

interface LiveEvents {
  /** Whether the event stream is open; false also where the key may not read events. */
  readonly live: boolean
  listen(listener: Listener): () => void
}

const LiveContext = createContext<LiveEvents>({ live: false, listen: () => () => {} })

/** One event stream shared by the whole console. */
export function Live({ children }: { readonly children: ReactNode }) {
  const { crm, may, streaming } = useSession()
  const live = useSyncExternalStore(streaming.subscribe, streaming.isOpen)
  const listeners = useRef(new Set<Listener>())
  const allowed = may('get_many_events')

  useEffect(() => {
    if (!allowed) return
    const controller = new AbortController()
    const follow = async () => {
      for await (const event of crm.events.follow({ signal: controller.signal })) for (const listener of listeners.current) listener(event)
    }
    // An ended stream shows as no longer live.
    follow().catch(() => {})
    return () => controller.abort()
  }, [crm, allowed])

  const value = useMemo<LiveEvents>(
    () => ({
      live,
      listen(listener) {
        listeners.current.add(listener)
        return () => listeners.current.delete(listener)
      },
    }),
    [live],
  )
  return <LiveContext value={value}>{children}</LiveContext>
}

/** Calls the listener for each event while the component is mounted. Returns whether the stream is open. */
export function useLive(listener: Listener): boolean {
  const { live, listen } = useContext(LiveContext)
  const current = useRef(listener)
  current.current = listener
  useEffect(() => listen((event) => current.current(event)), [listen])
  return live
}
