import { useEffect, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/states.tsx'
import { useSession } from '../session/session.ts'

const POLL_MS = 3_000

const failures = new WeakSet<Error>()
const seen = new WeakSet<Error>()

// Vite reports each chunk that could not be loaded with this event.
window.addEventListener('vite:preloadError', ({ payload }) => failures.add(payload))

/** Whether an error means that a chunk of the console could not be loaded. */
export const isLoadFailure = (error: Error): boolean => failures.has(error)

/**
 * A chunk of the console could not be loaded. Browsers cache a failed import for the lifetime of the document, so the whole page is
 * reloaded once the service answers; the address and the key stay.
 */
export function LoadFailure({ error }: { readonly error: Error }) {
  const { crm } = useSession()
  const [busy, setBusy] = useState(false)
  const [stillDown, setStillDown] = useState(false)

  useEffect(() => {
    const controller = new AbortController()
    // Reloads only after the service was down: if it answered all along the fault is another one, and the page would reload for ever.
    let wasDown = seen.has(error)
    seen.add(error)
    const poll = async () => {
      while (!controller.signal.aborted) {
        if (!(await isUp(controller.signal))) wasDown = true
        else if (wasDown) return window.location.reload()
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
    }
    void poll()
    return () => controller.abort()

    async function isUp(signal: AbortSignal) {
      return crm.users.getCurrent({}, { retries: 0, signal }).then(
        () => !signal.aborted,
        () => false,
      )
    }
  }, [crm, error])

  const tryAgain = async () => {
    setBusy(true)
    try {
      await crm.users.getCurrent({}, { retries: 0 })
      window.location.reload()
    } catch {
      setStillDown(true)
      setBusy(false)
    }
  }

  return (
    <div role="alert">
      <Empty
        icon="warning"
        title={stillDown ? 'The service still does not answer' : 'The service did not answer'}
        act={
          <Button icon="reload" busy={busy} onClick={() => void tryAgain()}>
            Try again
          </Button>
        }
      >
        This page could not be loaded. It opens as soon as the service can be reached.
      </Empty>
    </div>
  )
}
