import { addWorkspace } from '../../src/core/access/bootstrap.ts'
import type { Store } from '../../src/platforms/store.ts'
import type { Connection } from '../../src/testing/index.ts'
import { connect } from '../../src/transports/sdk/connect.ts'
import { deadLetters } from './in-process.ts'
import { startServer } from './server.ts'

/** The connector behind a real server, reached with the SDK's client. */
export async function overHttp(open?: () => Promise<Store>): Promise<Connection> {
  const server = await startServer(open && { open })
  const { key } = await addWorkspace(server.service, 'other')
  return {
    adminKey: server.key,
    otherAdminKey: key,
    signIn: (key) => connect({ baseUrl: server.url, key }),
    leaveDeadLetter: deadLetters(server.service.store),
    close: server.close,
  }
}
