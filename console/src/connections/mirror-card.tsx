import { useState } from 'react'
import { messageOf, useWrite } from '../data/write.ts'
import { Icon } from '../parts/icon.tsx'
import { Card } from '../parts/page.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { Switch } from '../parts/switch.tsx'
import { useToast } from '../parts/toasts.tsx'
import { numberText, Time } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import type { Connection, Mirror } from './connection-record.ts'
import { mirrorText, progressOf, useMirror } from './mirror.ts'
import './mirror-card.css'

interface Props {
  readonly connection: Connection
  readonly mayChange: boolean
  readonly onChanged: () => void
}

/** Whether a connection is watched and where it is read, and how far its mirror has come. */
export function MirrorCard({ connection, mayChange, onChanged }: Props) {
  const { crm, may } = useSession()
  const write = useWrite()
  const toast = useToast()
  const [busy, setBusy] = useState(false)
  const { ConnectionID, Watch, Reads, InUse } = connection

  async function set(FieldsToUpdate: { readonly Watch?: boolean; readonly Reads?: 'mirror' | 'crm' }) {
    setBusy(true)
    try {
      await write('Connection saved.', () => crm.connections.update({ ConnectionID, FieldsToUpdate }))
      onChanged()
    } catch (error) {
      toast({ text: messageOf(error), bad: true })
    }
    setBusy(false)
  }

  return (
    <Card title="Mirror">
      <div className="mirror">
        {InUse && may('get_mirror') && <MirrorState key={String(Watch)} />}
        <Switch
          label="Watch the account"
          hint="What others change in it becomes events, and is copied to the mirror."
          on={Watch !== false}
          disabled={!mayChange || busy}
          onChange={(watch) => void set({ Watch: watch })}
        />
        <Switch
          label="Read from the mirror"
          hint="Lists, summaries and searches are answered from it once it is complete, and cost the account no requests. Otherwise they always go to the CRM."
          on={Reads !== 'crm' && Watch !== false}
          disabled={!mayChange || busy || Watch === false}
          onChange={(reads) => void set({ Reads: reads ? 'mirror' : 'crm' })}
        />
      </div>
    </Card>
  )
}

function MirrorState() {
  const { mirror, error } = useMirror()
  if (!mirror) return error ? <RefusalLine error={error} /> : null
  if (!mirror.Watched) return <p className="soft">What others change in this account is not looked for.</p>
  const { done, total } = progressOf(mirror)
  return (
    <>
      {!mirror.Complete && <progress aria-label="Filling the mirror" max={Math.max(total, 1)} value={done} />}
      <p role="status">
        <strong>{mirrorText(mirror)}</strong>
        {mirror.AsOf && (
          <span className="soft">
            {' '}
            · as of <Time at={mirror.AsOf} />
          </span>
        )}
      </p>
      {mirror.Reason !== null && <MirrorFailure mirror={mirror} />}
      <p className="soft">
        {numberText(mirror.RequestsToday)} of {numberText(mirror.RequestsPerDay ?? 0)} requests today · a look every {mirror.IntervalSeconds} s
      </p>
      <ul className="mirror-types">
        {mirror.RecordTypes.map(({ RecordType, Records, Total, Complete }) => (
          <li key={RecordType}>
            <span>{RecordType}</span>
            <strong>{Complete || Total === null ? numberText(Records) : `${numberText(Records)} of ${numberText(Total)}`}</strong>
          </li>
        ))}
      </ul>
    </>
  )
}

function MirrorFailure({ mirror: { Reason, Advice, FailedDate } }: { readonly mirror: Mirror }) {
  return (
    <p className="mirror-failure" role="alert">
      <Icon name="warning" />
      <span>
        The last look failed
        {FailedDate && (
          <>
            {' '}
            <Time at={FailedDate} />
          </>
        )}
        : {Reason} {Advice}
      </span>
    </p>
  )
}
