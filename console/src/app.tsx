import { Live } from './data/live.tsx'
import { People } from './data/people.tsx'
import { Toasts } from './parts/toasts.tsx'
import { Gate } from './session/gate.tsx'
import { Shell } from './shell/shell.tsx'

export function App() {
  return (
    <Toasts>
      <Gate>
        <People>
          <Live>
            <Shell />
          </Live>
        </People>
      </Gate>
    </Toasts>
  )
}
