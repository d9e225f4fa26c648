import { addWorkspace } from '../../src/core/access/new-workspace.ts'
import type { Store } from '../../src/platforms/store.ts'
import type { Connection } from '../../src/testing/index.ts'
import { type Crm, overCrm } from './crms.ts'
import { deadLetters } from './in-process.ts'
import { startServer, type TestServer } from './server.ts'

/** A server with two workspaces, and a connection to it without the transport. */
export interface BehindServer {
  readonly server: TestServer
  readonly connection: Omit<Connection, 'signIn'>
}

/** Serves a store (a SQLite file unless given) or a simulated CRM. */
export async function behindServer(platform?: (() => Promise<Store>) | Crm): Promise<BehindServer> {
  if (platform !== undefined && 'kind' in platform) return crmBehindServer(platform)
  const server = await startServer(platform && { open: platform })
  const { key: otherAdminKey } = await addWorkspace(server.service, 'other')
  return { server, connection: { adminKey: server.key, otherAdminKey, leaveDeadLetter: deadLetters(server.service.store), close: server.close } }
}

async function crmBehindServer(crm: Crm): Promise<BehindServer> {
  const { signIn: _, service, ...connection } = await overCrm(crm)
  // overCrm has opened the store and closes it.
  const server = await startServer({ open: async () => ({ ...service.store, close: async () => {} }), wrap: () => service, key: connection.adminKey })
  return {
    server,
    connection: {
      ...connection,
      async close() {
        await server.close()
        await connection.close()
      },
    },
  }
}
