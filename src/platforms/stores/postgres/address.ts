import { CrmError, type Fault } from '../../../contract/errors.ts'
import { nearest } from '../../../contract/names.ts'

/** A parsed database address. */
export interface Address {
  /** One URL per host, in the order in which they are tried. */
  readonly hosts: readonly string[]
  /** Whether read-only hosts are skipped. */
  readonly readWrite: boolean
  /** Connections that calls share. */
  readonly pool: number
  /** Connections on which changes are numbered, for all workspaces and for the calls that read events. */
  readonly numbering: number
  /** How long a statement may take, and how long a call waits for a connection. */
  readonly statementMs: number
  readonly connectMs: number
}

/** Connections for sweeping and folding counters. */
export const BACKGROUND = 1

/** How many connections a process opens at most: beside those of calls and of background work, one that listens for notifications. */
export const connectionsOf = ({ pool, numbering }: Pick<Address, 'pool' | 'numbering'>) => pool + numbering + BACKGROUND + 1

/** Parameters that the connector reads itself. */
const OWN_PARAMETERS = {
  target_session_attrs: { fallback: 'read-write', expected: 'read-write or any', pattern: /^(read-write|primary|any)$/ },
  pool: { fallback: '10', expected: 'a whole number from 2 to 1000', pattern: /^([2-9]|[1-9]\d{1,2}|1000)$/ },
  statement_timeout: { fallback: '30000', expected: 'milliseconds, at least 100', pattern: /^[1-9]\d{2,8}$/ },
  connect_timeout: { fallback: '5', expected: 'seconds, from 1 to 3600', pattern: /^([1-9]\d{0,2}|[1-2]\d{3}|3[0-5]\d\d|3600)$/ },
} as const

/** Parameters that are passed to the driver. */
const DRIVER_PARAMETERS = ['sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'uselibpqcompat', 'application_name', 'options', 'host', 'port', 'user', 'password']

const URL_PARTS = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/

/** Reads a postgres:// URL, which may name several hosts: `postgres://user:password@one:5432,two:5432/crm`. */
export function readAddress(url: string): Address {
  const [, scheme = '', user, places, path = '', query = ''] = URL_PARTS.exec(url) ?? []
  if (places === undefined) throw notAnAddress()
  if (path.includes('@')) throw unencoded()
  const given = new URLSearchParams(query)
  const read = (name: keyof typeof OWN_PARAMETERS) => {
    const value = given.get(name) ?? OWN_PARAMETERS[name].fallback
    given.delete(name)
    if (!OWN_PARAMETERS[name].pattern.test(value)) throw fault(`${name} in the database's address is not valid.`, OWN_PARAMETERS[name].expected)
    return value
  }
  const readWrite = read('target_session_attrs') !== 'any'
  const pool = Number(read('pool'))
  const numbers = {
    pool,
    numbering: Math.max(2, Math.ceil(pool / 4)),
    statementMs: Number(read('statement_timeout')),
    connectMs: Number(read('connect_timeout')) * 1000,
  }
  const known = [...Object.keys(OWN_PARAMETERS), ...DRIVER_PARAMETERS]
  for (const name of given.keys()) {
    if (known.includes(name)) continue
    if (query.includes('@')) throw unencoded()
    const [didYouMean] = nearest(name, known)
    throw fault(`The database's address has an unknown parameter ${JSON.stringify(name)}.`, known.join(', '), didYouMean)
  }
  const rest = given.size > 0 ? `?${given}` : ''
  const hosts = places.split(',').map((place) => `${scheme}${user === undefined ? '' : `${user}@`}${place.trim()}${path}${rest}`)
  if (!hosts.every((host) => URL.canParse(host))) throw notAnAddress()
  return { hosts, readWrite, ...numbers }
}

const notAnAddress = () => fault('This is not the address of a PostgreSQL database.', 'postgres://USER:PASSWORD@HOST:5432/DATABASE')

/** An unencoded slash or question mark ends the password too early. What follows is part of it, and is neither used nor shown. */
const unencoded = () =>
  fault("The user or the password in the database's address has a character that must be encoded.", '%2F for /, %3F for ?, %23 for #, %40 for @, %25 for %')

function fault(message: string, expected: string, didYouMean?: string): CrmError {
  const error: Fault = { field: 'postgres://', code: 'value', message, expected, ...(didYouMean !== undefined && { didYouMean }) }
  return new CrmError('invalid_input', message, { errors: [error] })
}

/** An address without its password, for logs and messages. */
export function withoutPassword(url: string): string {
  const [, scheme, user, places = '', path = '', query = ''] = URL_PARTS.exec(url) ?? []
  // An unencoded slash or question mark in a password looks like the end of the hosts: then an @ follows later, and nothing is shown.
  const isSound = !`${path}${query}`.includes('@') && (user !== undefined || places.split(',').every((place) => /^(\[[\da-f:.]+\]|[^:]*)(:\d*)?$/i.test(place)))
  if (scheme === undefined || !isSound) return 'postgres://…'
  return `${scheme}${user === undefined ? '' : `${user.split(':', 1)[0]}@`}${places}${path}`
}
