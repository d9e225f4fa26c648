import type { Hub } from './hub.ts'
import { settled } from './objects.ts'

/** How HubSpot names the account; undefined where it does not say. */
export async function portalOf(connection: Hub, origin: string): Promise<string | undefined> {
  const details = await settled(connection.json<{ portalId?: number } | undefined>({ method: 'GET', path: connection.paths.account }))
  return details && 'portalId' in details ? `${origin} ${details.portalId}` : undefined
}
