import { useLive } from '../data/live.tsx'
import type { Tone } from '../parts/badge.tsx'
import type { Connection } from './connection-record.ts'
import { crmOf } from './crms.ts'

const STATES: { readonly [state in Connection['State']]: { readonly word: string; readonly tone: Tone } } = {
  pending: { word: 'Pending', tone: 'warn' },
  connected: { word: 'Connected', tone: 'good' },
  broken: { word: 'Broken', tone: 'bad' },
}

export const stateOf = ({ State }: Connection) => STATES[State]

export const labelOfCrm = ({ Platform }: Pick<Connection, 'Platform'>) => crmOf(Platform).label

export const connectionName = (connection: Connection) => connection.Label ?? labelOfCrm(connection)

/** How the CRM names the account, without the address that some put before it. */
export const accountName = ({ Account }: Connection) => Account?.replace(/^https?:\/\/\S+ /, '')

/** Calls back when a connection of the workspace was changed, by whatever process. */
export const useConnectionEvents = (onChange: () => void) => useLive(({ RecordType }) => RecordType === 'Connection' && onChange())

/** What to do about a connection that does not work, with the buttons of its page. */
export function adviceOf(connection: Connection): string | undefined {
  const { State, SignIn, Configured } = connection
  if (State === 'connected') return undefined
  if (Configured) return 'Correct it in the configuration file and the environment, and restart the service.'
  if (SignIn === 'secrets') return `Replace its secrets with ones that ${labelOfCrm(connection)} accepts.`
  return State === 'pending'
    ? 'Allow it in the browser, or send a link to the owner of the account.'
    : 'Connect it again, or send a link to the owner of the account.'
}
