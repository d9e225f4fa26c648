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
  const { ConnectionID, Watch, Reads, InUse, Configured } = connection
  const fixed = mayChange ? undefined : Configured ? 'It is set in the configuration.' : 'Your key may not change connections.'

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
        {!InUse && <p className="soft">This connection is not in use: its account is not watched, and nothing is read from its mirror.</p>}
        {InUse && may('get_mirror') && <MirrorState key={String(Watch)} />}
        <Switch
          label="Watch the account"
          hint="What others change in it becomes events, and is copied to the mirror."
          on={Watch !== false}
          because={fixed}
          disabled={busy}
          onChange={(watch) => void set({ Watch: watch })}
        />
        <Switch
          label="Read from the mirror"
          hint="Lists, summaries and searches are answered from it once it is complete, and cost the account no requests. Otherwise they always go to the CRM."
          on={Reads !== 'crm' && Watch !== false}
          because={fixed ?? (Watch === false ? 'An account that is not watched has no mirror to read from.' : undefined)}
          disabled={busy}
          onChange={(reads) => void set({ Reads: reads ? 'mirror' : 'crm' })}
        />
      </div>
    </Card>
  )
}

function MirrorState() {
  const { mirror, error } = useMirror()
  if (!mirror) return error ? <RefusalLine error={error} /> : null
  if (!mirror.Watched) return <p className="soft">Changes that others make in this account are not watched.</p>
  const { done, total } = progressOf(mirror)
  return (
    <>
      {!mirror.Complete && <progress aria-label="Backfilling the mirror" max={Math.max(total, 1)} value={done} />}
      <p role="status">
        <strong>{mirrorText(mirror)}</strong>
        {mirror.AsOf && (
          <span className="soft">
            {' '}
            · as of <Time at={mirror.AsOf} past />
          </span>
        )}
      </p>
      {mirror.Reason !== null && <MirrorFailure mirror={mirror} />}
      <p className="soft">
        {numberText(mirror.RequestsToday)} of {numberText(mirror.RequestsPerDay ?? 0)} requests today · a poll every {mirror.IntervalSeconds} s
      </p>
      <ul className="mirror-types">
        {mirror.RecordTypes.map(({ RecordType, Records, Total, Complete }) => (
          <li key={RecordType}>
            <span>{typeLabel(RecordType)}</span>
            <strong>{Complete || Total === null ? numberText(Records) : `${numberText(Records)} of ${numberText(Total)}`}</strong>
          </li>
        ))}
      </ul>
    </>
  )
}

/** `Custom object` for CustomObject. */
const typeLabel = (type: string) => type.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function MirrorFailure({ mirror: { Reason, Advice, FailedDate } }: { readonly mirror: Mirror }) {
  return (
    <p className="mirror-failure" role="alert">
      <Icon name="warning" />
      <span>
        {FailedDate && (
          <>
            The last poll failed <Time at={FailedDate} past />:{' '}
          </>
        )}
        {Reason} {Advice}
      </span>
    </p>
  )
}
