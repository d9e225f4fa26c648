import { DriverError } from '../engine/errors.ts'
import type { Hub } from './hub.ts'
import { settled } from './objects.ts'

/** How HubSpot names the account; undefined where it does not tell this app, and `other` where what answers is not HubSpot. */
export async function portalOf(connection: Hub, origin: string): Promise<string | undefined | 'other'> {
  const details = await settled(connection.json<{ portalId?: unknown } | undefined>({ method: 'GET', path: connection.paths.account }))
  if (!(details instanceof DriverError)) return typeof details?.portalId === 'number' ? `${origin} ${details.portalId}` : 'other'
  if (details.code === 'forbidden') return undefined
  if (!UNOFFERED.has(details.code)) throw details
  const path = `${connection.paths.properties}/contacts`
  const properties = await settled(connection.json<{ results?: unknown } | undefined>({ method: 'GET', path }))
  if (properties instanceof DriverError && !UNOFFERED.has(properties.code)) return undefined
  return !(properties instanceof DriverError) && Array.isArray(properties?.results) ? undefined : 'other'
}

const UNOFFERED: ReadonlySet<string> = new Set(['not_found', 'platform_rejected'])
