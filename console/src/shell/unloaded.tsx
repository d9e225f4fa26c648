import { useEffect, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/states.tsx'
import { useSession } from '../session/session.ts'

const ASK_AGAIN_MS = 3_000

const unloaded = new WeakSet<Error>()
const shown = new WeakSet<Error>()

// What loads the parts of the console tells of each that could not be.
window.addEventListener('vite:preloadError', ({ payload }) => unloaded.add(payload))

/** Whether a fault is that a part of the console could not be loaded. */
export const isUnloaded = (fault: Error): boolean => unloaded.has(fault)

/**
 * A part of the console could not be loaded. A browser keeps that for as long as the document lives, so that only loading it all again
 * helps, which is done once the service answers: the address and the key stay, and nothing was shown yet that could be lost.
 */
export function Unloaded({ fault }: { readonly fault: Error }) {
  const { crm } = useSession()
  const [asking, setAsking] = useState(false)
  const [still, setStill] = useState(false)

  useEffect(() => {
    const gone = new AbortController()
    // A service that answered all along has another fault; to load the console again and again would not mend it.
    let hopes = shown.has(fault)
    shown.add(fault)
    const follow = async () => {
      while (!gone.signal.aborted) {
        if (!(await answers(gone.signal))) hopes = true
        else if (hopes) return window.location.reload()
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
      }
    }
    void follow()
    return () => gone.abort()

    async function answers(signal: AbortSignal) {
      return crm.users.getCurrent({}, { retries: 0, signal }).then(
        () => !signal.aborted,
        () => false,
      )
    }
  }, [crm, fault])

  const again = async () => {
    setAsking(true)
    try {
      await crm.users.getCurrent({}, { retries: 0 })
      window.location.reload()
    } catch {
      setStill(true)
      setAsking(false)
    }
  }

  return (
    <div role="alert">
      <Empty
        icon="warning"
        title={still ? 'The service still does not answer' : 'The service did not answer'}
        act={
          <Button icon="again" busy={asking} onClick={() => void again()}>
            Try again
          </Button>
        }
      >
        So this page could not be loaded. It is shown as soon as the service can be reached.
      </Empty>
    </div>
  )
}
