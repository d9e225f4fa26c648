import { lazy, Suspense } from 'react'
import { Live } from './data/live.tsx'
import { People } from './data/people.tsx'
import { RecordDirectory } from './data/record-directory.tsx'
import { useKeptFocus } from './parts/kept-focus.ts'
import { Questions } from './parts/questions.tsx'
import { Spinner } from './parts/spinner.tsx'
import { Toasts } from './parts/toasts.tsx'
import { useRoute } from './routing/router.ts'
import { Gate } from './session/gate.tsx'
import { Shell } from './shell/shell.tsx'

const Consent = lazy(async () => ({ default: (await import('./consent/consent.tsx')).Consent }))

export function App() {
  useKeptFocus()
  return (
    <Toasts>
      <Gate>
        <Inside />
      </Gate>
    </Toasts>
  )
}

/** A request of a program is answered before anything else is shown. */
function Inside() {
  const { path } = useRoute()
  if (path[0] === 'authorize')
    return (
      <Suspense fallback={<Spinner label="Loading" whole />}>
        <Consent />
      </Suspense>
    )
  return (
    <People>
      <Live>
        <RecordDirectory>
          <Questions>
            <Shell />
          </Questions>
        </RecordDirectory>
      </Live>
    </People>
  )
}
