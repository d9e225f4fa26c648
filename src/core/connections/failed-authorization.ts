import type { CrmError } from '../../contract/errors.ts'
import { Connection } from '../../contract/records/connection.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import { getRecord, nextRevision } from '../call/records.ts'
import { changeTo, lineOf } from '../journal/changes.ts'
import type { Service } from '../service.ts'
import type { Asked } from './authorization.ts'

const ANOTHER_LINK =
  'The link that was opened can be opened again until it expires. Or send the owner of the account another link: in the console under Connections, with crm connect --link, or with authorize_connection.'
/** What comes from the CRM is shown, and cut off. */
const LONGEST_REASON = 500

/**
 * Records why a person who was sent to the CRM has not connected it, so that the admin who has asked for it sees it too. A connection that works is left as
 * it is.
 */
export async function recordFailure({ store }: Service, { workspace, connectionId, userId }: Asked, { message, hint }: CrmError): Promise<void> {
  const reason = `It was not connected: ${message.replace(/\p{Cc}/gu, ' ')}`
  await store.write(workspace, async (writer) => {
    const connection = await getRecord(writer, Connection, connectionId)
    if (!connection || connection.State === 'connected') return
    const applied: StoredRecord = {
      Reason: reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason,
      Advice: hint === undefined ? ANOTHER_LINK : `${hint} ${ANOTHER_LINK}`,
      ...nextRevision(connection, writer.now()),
    }
    await writer.update(Connection.name, connectionId, applied)
    const by = { userId, keyId: null, transport: 'service', operation: 'complete_connection', requestId: null, idempotencyKey: null }
    await writer.appendAuditLine(lineOf(changeTo(Connection, 'updated', connection, { ...connection, ...applied }), by))
  })
}
