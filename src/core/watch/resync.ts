import { Connection } from '../../contract/records/connection.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { activeAdmins } from '../access/admins.ts'
import { findRecords } from '../call/records.ts'
import { changeTo, lineOf } from '../journal/changes.ts'

/** Announces that changes of an account since a moment were compared as a whole, and are not told one by one. */
export async function recordResync(writer: StoreWriter): Promise<void> {
  const [connection] = await findRecords(writer, Connection, {
    where: [{ field: 'InUse', family: 'boolean', operator: 'eq', value: true }],
    order: { field: Connection.id, descending: false },
    limit: 1,
  })
  const [admin] = await activeAdmins(writer)
  if (!connection || !admin) return
  const by = { userId: admin.UserID, keyId: null, transport: 'service', operation: 'watch', requestId: null, idempotencyKey: null }
  await writer.appendAuditLine(lineOf(changeTo(Connection, 'resynced', connection, connection), by))
}
