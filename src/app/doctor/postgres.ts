import pg from 'pg'
import { type Address, connectionsOf, readAddress } from '../../platforms/stores/postgres/address.ts'
import { isMisconfigured, knownFault, MISCONFIGURED } from '../../platforms/stores/postgres/errors.ts'
import { MIGRATIONS, missingIn, versionOf } from '../../platforms/stores/postgres/migrations.ts'
import { schemaFaults } from '../../platforms/stores/postgres/schema-check.ts'
import type { Finding } from '../../transports/cli/app.ts'
import { shownStore } from '../store-address.ts'
import { type AskStore, auditFindings } from './audit.ts'
import { connectionFindings } from './connections.ts'
import { type DoctorInput, findingsIn } from './findings.ts'
import { secretFindings } from './secrets.ts'
import { ruleFindings } from './sign-in-rules.ts'
import { watchFindings } from './watch.ts'

/** Clock differences beyond this are reported. */
const SKEW_MS = 5_000
/** The oldest supported server version. */
const OLDEST = 140_000

interface Server {
  readonly version: string
  readonly number: number
  readonly encoding: string
  readonly readonly: string
  readonly now: Date
  readonly secure: boolean
  readonly creates: boolean
  readonly used: number
  readonly most: number
}

const SERVER = `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS number, current_setting('server_encoding') AS encoding,
  current_setting('transaction_read_only') AS readonly, clock_timestamp() AS now, COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS secure,
  COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false) AS creates, (SELECT COUNT(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
  current_setting('max_connections')::integer AS most`

/** Examines each host of an address, and the store on the first that is usable. Every transaction is read-only. */
export async function* examinePostgres(url: string, area: string, input: DoctorInput): AsyncGenerator<Finding> {
  const { good, bad, failed } = findingsIn(area)
  let address: Address
  try {
    address = readAddress(url)
  } catch (error) {
    return yield failed('Address', error, 'Expected: postgres://USER:PASSWORD@HOST:5432/DATABASE')
  }
  yield good('Place', shownStore(url))
  let examined = false
  for (const host of address.hosts) {
    const client = new pg.Client({
      connectionString: host,
      connectionTimeoutMillis: address.connectMs,
      query_timeout: address.statementMs,
      application_name: 'crm-connector doctor',
    })
    client.on('error', () => {})
    try {
      const began = performance.now()
      await client.connect()
      const { rows } = await client.query<Server>(SERVER)
      const server = rows[0] as Server
      await client.query('SET default_transaction_read_only = on')
      yield* hostFindings(area, new URL(host).host, server, Math.round(performance.now() - began), address)
      if (!examined && (server.readonly !== 'on' || !address.readWrite)) {
        examined = true
        yield* inside(area, url, client, server, input)
      }
    } catch (error) {
      const known = knownFault(error)
      const todo = isMisconfigured(error) ? MISCONFIGURED : 'Is it running, is that its address, and does a firewall let this machine through?'
      yield bad(
        `Host ${new URL(host).host}`,
        (error as Error).message || known?.message || String(error),
        isMisconfigured(error) ? 'invalid_input' : 'platform_unavailable',
        todo,
      )
    } finally {
      await client.end().catch(() => {})
    }
  }
}

function* hostFindings(area: string, host: string, server: Server, ms: number, address: Address): Generator<Finding> {
  const { good, doubtful, bad } = findingsIn(area)
  const name = `Host ${host}`
  if (server.number < OLDEST) yield bad(name, `PostgreSQL ${server.version} is too old.`, 'unsupported', 'Version 14 or newer is needed.')
  else if (server.encoding !== 'UTF8')
    yield bad(name, `The database stores text as ${server.encoding}.`, 'unsupported', "Create a database with ENCODING 'UTF8'.")
  else yield good(name, `PostgreSQL ${server.version}, answers in ${ms} ms${server.readonly === 'on' && address.readWrite ? ', read-only' : ''}`)
  if (!server.secure && !/^(localhost|127\.|\[::1\])/.test(host) && host !== '')
    yield doubtful(name, 'The connection is not encrypted.', 'Add ?sslmode=verify-full to the address.')
  const skew = Math.abs(server.now.getTime() - Date.now())
  if (skew > SKEW_MS)
    yield doubtful(name, `Its clock is ${Math.round(skew / 1000)} s away from this machine's.`, 'Synchronise both with NTP: keys expire by these clocks.')
  const connections = connectionsOf(address)
  if (server.most - server.used <= connections)
    yield doubtful(
      name,
      `${server.used} of ${server.most} connections are in use, and each process takes up to ${connections}.`,
      'Raise max_connections, or lower ?pool= in the address.',
    )
}

async function* inside(area: string, url: string, client: pg.Client, { creates }: Server, input: DoctorInput): AsyncGenerator<Finding> {
  const { good, doubtful, bad, failed } = findingsIn(area)
  try {
    const read = async (sql: string) => (await client.query({ text: sql, rowMode: 'array' })).rows as unknown[][]
    const version = await versionOf(read)
    const current = version === MIGRATIONS.length && (await missingIn(read)).length === 0
    if (!current && !creates)
      return yield bad(
        'Rights',
        'The user may not create tables in this schema, and the store has to be created or upgraded.',
        'invalid_input',
        'GRANT CREATE ON SCHEMA … TO …, or use a schema of its own.',
      )
    if (version === 0) return yield good('Schema', 'an empty database: the first command makes a store in it')
    if (!current)
      return yield doubtful(
        'Schema',
        version < MIGRATIONS.length ? `It is at version ${version} of ${MIGRATIONS.length}.` : 'It lacks fields of this version.',
        'The next command or start upgrades it; make a backup before: crm backup before-upgrade.db',
      )
    yield good('Schema', `version ${version}`)
    for (const { message, hint } of await schemaFaults(read)) yield bad('Schema', message, 'conflict', hint)
    const asking: AskStore = (sql, bind) => ask(client, sql, bind)
    yield* auditFindings(area, asking, input.deep)
    yield* secretFindings(area, url, asking, input)
    yield* connectionFindings(area, asking)
    yield* watchFindings(area, asking)
    yield* ruleFindings(area, url, asking, input)
  } catch (error) {
    yield failed('Store', error, MISCONFIGURED)
  }
}

const ask: (client: pg.Client, ...statement: Parameters<AskStore>) => ReturnType<AskStore> = async (client, sql, bind) => {
  let place = 0
  return (
    await client.query(
      sql.replaceAll('?', () => `$${++place}`),
      [...bind],
    )
  ).rows as Record<string, unknown>[]
}
