import type { Connection } from '../../src/testing/index.ts'
import { connect } from '../../src/transports/sdk/connect.ts'
import { behindServer } from './behind-server.ts'

/** The connector behind a real server, called by the SDK's client. */
export async function overHttp(platform?: Parameters<typeof behindServer>[0]): Promise<Connection> {
  const { server, connection } = await behindServer(platform)
  return { ...connection, signIn: (key) => connect({ baseUrl: server.url, key }) }
}
