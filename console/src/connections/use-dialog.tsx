import { useWrite } from '../data/write.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { useSession } from '../session/session.ts'
import { connectionName } from './connection.ts'
import type { Connection } from './connection-record.ts'

interface Props {
  readonly connection: Connection
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Gives the workspace a connection, or takes it away. */
export function UseDialog({ connection, onDone, onClose }: Props) {
  const { crm } = useSession()
  const write = useWrite()
  const { ConnectionID, InUse, UseWhenConnected, ConnectedDate } = connection
  const isWanted = InUse || UseWhenConnected
  const name = connectionName(connection)
  const set = () =>
    write(isWanted ? `${name} is not used.` : `${name} is used for this workspace.`, () =>
      crm.connections.update({ ConnectionID, FieldsToUpdate: { InUse: !isWanted } }),
    )
  if (UseWhenConnected)
    return (
      <ConfirmDialog title={`Do not use ${name} yet?`} confirmLabel="Do not use yet" onConfirm={set} onDone={onDone} onClose={onClose}>
        <p>Once it is connected, the records of this workspace stay where they are. You can use it later.</p>
      </ConfirmDialog>
    )
  return InUse ? (
    <ConfirmDialog title={`Stop using ${name}?`} confirmLabel="Stop using" onConfirm={set} onDone={onDone} onClose={onClose}>
      <p>
        From now on records are read from and written to what the configuration names: the connector’s own store, unless it names a CRM. Records in this account
        stay there, and are not shown meanwhile.
      </p>
    </ConfirmDialog>
  ) : (
    <ConfirmDialog title={`Use ${name} for this workspace?`} confirmLabel="Use it" onConfirm={set} onDone={onDone} onClose={onClose}>
      <p>
        {ConnectedDate === null ? 'Once it is connected' : 'From now on'} records are read from and written to this account. Records in the connector’s store or
        in another account stay where they are, and are not shown meanwhile. Calls under way end where they began.
      </p>
    </ConfirmDialog>
  )
}
