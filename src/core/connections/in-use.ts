import { mirrorUseOf } from '../../contract/mirror-use.ts'
import { Connection } from '../../contract/records/connection.ts'
import type { Workspace } from '../../platforms/store.ts'
import { findRecords } from '../call/records.ts'
import type { Service } from '../service.ts'
import { recallAccount } from '../watch/kept-account.ts'
import type { Accounts } from './accounts.ts'
import type { InUse } from './opened.ts'
import { openedWith, settingsOf } from './settings.ts'
import { IN_USE } from './switching.ts'

/** Reads what a workspace is connected to, where that may have changed; undefined where it cannot have. */
export function readConnection(service: Service, workspace: Workspace): Promise<void> | undefined {
  const { accounts, connections, store } = service
  return accounts && connections.read(workspace, store.accessVersion(), () => connectionInUse(service, accounts, workspace))
}

async function connectionInUse(service: Service, accounts: Accounts, { number }: Workspace): Promise<InUse | undefined> {
  const [connection] = await findRecords(service.store.reader(number), Connection, {
    where: [...IN_USE, { field: 'Configured', family: 'boolean', operator: 'eq', value: false }],
    order: { field: Connection.id, descending: false },
    limit: 1,
  })
  if (!connection) return undefined
  const of = openedWith(connection)
  const recall = () => recallAccount(service.store.journal(number), of)
  return {
    of,
    mirrorUse: mirrorUseOf(connection),
    open: () => accounts.openInAnyCase(connection.Platform, () => settingsOf(service, number, connection), recall),
  }
}
