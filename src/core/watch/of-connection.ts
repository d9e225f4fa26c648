import { Connection } from '../../contract/records/connection.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { activeAdmins } from '../access/admins.ts'
import { findRecords } from '../call/records.ts'
import { BY_ID, IN_USE } from '../connections/switching.ts'
import { changeTo, lineOf } from '../journal/changes.ts'

/**
 * Announces what the watch has done to a mirror as a whole, as an event of the connection in use, be it of the configuration or not: `resynced` where changes are not told one
 * by one, `repaired` where it differed from the account. The audit line names the first admin, with the transport `service`.
 */
export async function announceOfConnection(writer: StoreWriter, eventName: 'resynced' | 'repaired', more: StoredRecord = {}): Promise<void> {
  const [connection] = await findRecords(writer, Connection, { where: IN_USE, order: BY_ID, limit: 1 })
  const [admin] = await activeAdmins(writer)
  if (!connection || !admin) return
  const by = { userId: admin.UserID, keyId: null, transport: 'service', operation: 'watch', requestId: null, idempotencyKey: null }
  const change = changeTo(Connection, eventName, connection, connection)
  const image = { ...change.after, ...more }
  await writer.appendAuditLine(lineOf({ ...change, before: image, after: image }, by))
}
