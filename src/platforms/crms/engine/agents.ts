import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { memoise } from '../../../helpers/memoise.ts'

/**
 * Connects to the addresses that `lookup` answers with, and to no others, so that a name cannot resolve to another address after it was checked (DNS
 * rebinding). Node does not resolve literal addresses; `lookup` may refuse those, too.
 */
export function connectorWith(lookup: LookupFunction | undefined, timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, ...(lookup && { lookup }) })
  if (!lookup) return connect
  return (target, connected) => {
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) === 0) connect(target, connected)
    else lookup(host, { all: true }, (refusal) => (refusal ? connected(refusal, null) : connect(target, connected)))
  }
}

const CONNECT_MS = 10_000

/** For requests outside of a connection, such as those for tokens. */
export const agentWith = memoise((lookup: LookupFunction | undefined) => new Agent({ connect: connectorWith(lookup, CONNECT_MS) }))
