import type { Connection } from '../engine/connection.ts'
import { settled } from './objects.ts'

/** How HubSpot names the account; undefined where it does not say. */
export async function portalOf(connection: Connection, origin: string): Promise<string | undefined> {
  const details = await settled(connection.json<{ portalId?: number } | undefined>({ method: 'GET', path: '/account-info/v3/details' }))
  return details && 'portalId' in details ? `${origin} ${details.portalId}` : undefined
}
