import { Connection } from '../../contract/records/connection.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import { activeAdmins } from '../access/admins.ts'
import { getRecord, nextRevision } from '../call/records.ts'
import { changeTo, lineOf } from '../journal/changes.ts'
import type { Service } from '../service.ts'

const ADVICE = 'Connect it again: in the console under Connections, with crm connect, or with the link of authorize_connection.'
const NEW_SECRETS = 'Give it secrets that the CRM accepts, with update_connection or in the console under Connections; test_connection looks again.'

/**
 * Records whether the CRM lets a connection in: a refusal makes a connected one broken, and the next success restores it. Each is an event. The
 * audit line names the first admin, with the transport `service`.
 */
export async function recordSignIn({ store }: Service, workspace: number, id: string, refusal: Error | undefined): Promise<void> {
  const isNews = ({ State }: StoredRecord) => (refusal ? State === 'connected' : State === 'broken')
  const known = await getRecord(store.reader(workspace), Connection, id)
  if (!known || !isNews(known)) return
  await store.write(workspace, async (writer) => {
    const connection = await getRecord(writer, Connection, id)
    const [admin] = await activeAdmins(writer)
    if (!connection || !admin || !isNews(connection)) return
    const applied: StoredRecord = {
      ...(refusal
        ? { State: 'broken', Reason: refusal.message, Advice: connection.SignIn === 'browser' ? ADVICE : NEW_SECRETS }
        : { State: 'connected', Reason: null, Advice: null }),
      ...nextRevision(connection, writer.now()),
    }
    await writer.update(Connection.name, id, applied)
    const change = changeTo(Connection, refusal ? 'broken' : 'restored', connection, { ...connection, ...applied })
    const by = { userId: admin.UserID, keyId: null, transport: 'service', operation: 'test_connection', requestId: null, idempotencyKey: null }
    await writer.appendAuditLine(lineOf(change, by))
  })
}
