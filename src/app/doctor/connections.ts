import { Connection } from '../../contract/records/connection.ts'
import { quoted } from '../../platforms/stores/sql/tables.ts'
import type { Finding } from '../../transports/cli/app.ts'
import type { AskStore } from './audit.ts'
import { findingsIn } from './findings.ts'

/** The connections in the store that the CRM no longer lets in. `crm test_connection` examines the account of one. */
export async function* connectionFindings(area: string, ask: AskStore): AsyncGenerator<Finding> {
  const { good, bad } = findingsIn(area)
  const columns = ['ConnectionID', 'Platform', 'State', 'Reason', 'Advice'].map(quoted).join(', ')
  const connections = await ask(`SELECT ${columns} FROM ${quoted(Connection.name)}`, [])
  const broken = connections.filter(({ State }) => State === 'broken')
  for (const { ConnectionID, Platform, Reason, Advice } of broken)
    yield bad('Connections', `${Platform} ${ConnectionID} is broken: ${Reason}`, 'platform_unavailable', String(Advice))
  const connected = connections.filter(({ State }) => State === 'connected').length
  if (broken.length === 0 && connections.length > 0) yield good('Connections', `${connected} connected, ${connections.length - connected} pending`)
}
