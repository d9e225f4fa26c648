import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { useSession } from '../session/session.ts'
import { AuthorizeButtons } from './authorize-buttons.tsx'
import { adviceOf } from './connection.ts'
import type { Connection } from './connection-record.ts'

interface Props {
  readonly connection: Connection
  /** Undefined where the key may not replace secrets. */
  readonly onReplace: (() => void) | undefined
}

/** What is the matter with a connection, and what to do: why it does not work, or why it cannot be changed here. */
export function ConnectionNotice({ connection, onReplace }: Props) {
  const { may } = useSession()
  const { State, SignIn, Configured, Reason } = connection
  if (State === 'connected' && !Configured && Reason === null) return null
  const tone = State === 'broken' ? 'bad' : State === 'pending' ? 'warn' : 'plain'
  return (
    <div className={`connection-notice connection-notice-${tone}`}>
      <Icon name={State === 'connected' ? 'book' : 'warning'} />
      <div className="connection-notice-text">
        {Reason && <strong>{Reason}</strong>}
        {Configured && <span>This connection comes from the configuration file and the environment, and can be changed only there.</span>}
        {adviceOf(connection) && <span>{adviceOf(connection)}</span>}
      </div>
      {State !== 'connected' && !Configured && (
        <div className="connection-notice-acts">
          {SignIn === 'browser'
            ? may('authorize_connection') && <AuthorizeButtons connection={connection} />
            : onReplace && (
                <Button icon="keys" onClick={onReplace}>
                  Replace secrets
                </Button>
              )}
        </div>
      )}
    </div>
  )
}
