import type { ReactNode } from 'react'
import { Time } from '../parts/values.tsx'
import { accountName, labelOfCrm } from './connection.ts'
import type { Connection } from './connection-record.ts'
import { wayOf } from './crms.ts'
import { ConnectionBadges } from './state.tsx'

export function ConnectionFacts({ connection }: { readonly connection: Connection }) {
  const { Address, SecretNames, Options, Tables, ConnectedDate, InUse, UseWhenConnected, Configured } = connection
  const facts: readonly (readonly [name: string, value: ReactNode])[] = [
    [
      'State',
      <span key="state" className="connection-badges">
        <ConnectionBadges connection={connection} />
      </span>,
    ],
    ['CRM', labelOfCrm(connection)],
    ['Address', Address && <code key="address">{Address}</code>],
    ['Account', accountName(connection)],
    ['Sign-in', Configured ? 'With the secrets of the environment' : wayOf(connection)?.label],
    ['Secrets', SecretNames.length > 0 && <code key="secrets">{SecretNames.join(', ')}</code>],
    [
      'Options',
      Options && (
        <code key="options">
          {Object.entries(Options)
            .map(([name, value]) => `${name} = ${value}`)
            .join(', ')}
        </code>
      ),
    ],
    ['Tables', Tables && `Overridden for ${Object.keys(Tables).join(', ')}`],
    ['In use', InUse ? 'Yes: the records of this workspace live there' : UseWhenConnected ? 'Once it is connected' : 'No'],
    ['Connected', ConnectedDate && <Time key="connected" at={ConnectedDate} />],
  ]
  return (
    <dl className="connection-facts">
      {facts
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
