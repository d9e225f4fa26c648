import { connect as connectTls } from 'node:tls'
import { CrmError } from '../../contract/errors.ts'
import { reasonOf } from '../../helpers/reason-of.ts'
import type { Finding } from '../../transports/cli/app.ts'
import { connect } from '../../transports/sdk/connect.ts'
import { configuredServer } from './configured.ts'
import { type DoctorInput, findingsIn } from './findings.ts'

const TIMEOUT_MS = 5_000
const SKEW_MS = 30_000
const DAY_MS = 86_400_000
const SOON_DAYS = 14

const { good, doubtful, bad, failed } = findingsIn('Server')

/** The server that calls go through: whether it answers, is this service and accepts the key, and its clock and certificate. */
export async function* examineServer(patient: DoctorInput): AsyncGenerator<Finding> {
  const server = configuredServer(patient)
  if (!server) return
  const { url, key } = server
  const began = performance.now()
  let ready: Response
  try {
    ready = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (error) {
    const { cause } = error as { cause?: Error & { code?: string } }
    return yield bad(
      'Answer',
      `${url} does not answer: ${reasonOf(error)}`,
      'platform_unavailable',
      /CERT|SSL|TLS/i.test(cause?.code ?? '') ? CERTIFICATE : 'Is it running at this address?',
    )
  }
  yield ready.ok
    ? good('Answer', `${url} is ready, in ${Math.round(performance.now() - began)} ms`)
    : bad(
        'Answer',
        `${url} is there and answers ${ready.status}.`,
        'platform_unavailable',
        ready.status === 503 ? 'Its store does not answer; look at its log.' : 'Is it the address of a CRM Connector?',
      )
  const { unavailable = [] }: { unavailable?: readonly string[] } = ready.ok ? await ready.json().catch(() => ({})) : {}
  if (unavailable.length > 0)
    yield doubtful(
      'CRMs',
      `Those that do not answer it: ${unavailable.join(', ')}`,
      'They are read from their mirrors meanwhile; calls that need them are refused.',
    )
  yield* clock(ready)
  yield* encryption(url)
  if (!ready.ok) return
  yield* version(url, patient.version)
  yield* identity(url, key)
}

const CERTIFICATE = 'Its certificate is not trusted here: give the authority with NODE_EXTRA_CA_CERTS, or renew it.'

function* clock(ready: Response): Generator<Finding> {
  const date = Date.parse(ready.headers.get('date') ?? '')
  if (Number.isNaN(date)) return
  const skew = Math.abs(date - Date.now())
  yield skew > SKEW_MS
    ? doubtful(
        'Clock',
        `The server's clock is ${Math.round(skew / 1000)} s away from this machine's.`,
        'Keep both in time with NTP: keys and plans expire by the clock of the server.',
      )
    : good('Clock', 'in time with this machine')
}

async function* encryption(url: string): AsyncGenerator<Finding> {
  const { protocol, hostname, port } = new URL(url)
  if (protocol === 'http:') {
    if (!/^(localhost|127\.|\[::1\])/.test(hostname))
      yield doubtful('Encryption', 'The key and all records travel as plain text.', 'Put TLS before the server, and use https.')
    return
  }
  const until = await certificateUntil(hostname.replace(/^\[|\]$/g, ''), Number(port) || 443)
  if (until === undefined) return
  const days = Math.floor((until - Date.now()) / DAY_MS)
  yield days < SOON_DAYS
    ? doubtful('Encryption', `The certificate ends in ${days} days.`, 'Renew it.')
    : good('Encryption', `TLS, the certificate holds for ${days} days`)
}

function certificateUntil(host: string, port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const socket = connectTls({ host, port, servername: host, rejectUnauthorized: false, timeout: TIMEOUT_MS }, () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to) || undefined)
      socket.end()
    })
    socket.on('error', () => resolve(undefined))
    socket.on('timeout', () => socket.destroy(new Error('timeout')))
  })
}

async function* version(url: string, ours: string): AsyncGenerator<Finding> {
  try {
    const response = await fetch(`${url}/openapi.json`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const { info } = (await response.json()) as { info?: { version?: string } }
    const theirs = String(info?.version)
    yield theirs === ours
      ? good('Version', theirs)
      : doubtful('Version', `The server is ${theirs}, this command is ${ours}.`, 'What only one of them knows does not work; upgrade the older one.')
  } catch {
    yield bad('Version', `${url} does not tell its version, as a CRM Connector does.`, 'platform_unavailable', 'Is it the address of a CRM Connector?')
  }
}

async function* identity(url: string, key: string): AsyncGenerator<Finding> {
  try {
    const { Name, Role, Workspace, Scopes, ExpiresDate } = await connect({ baseUrl: url, key, retries: 0, timeoutMs: TIMEOUT_MS }).users.getCurrent()
    yield good('Key', `${Name}, ${Role} of ${Workspace}, may ${Scopes.join(', ')}`)
    const days = ExpiresDate === null ? Number.POSITIVE_INFINITY : Math.floor((Date.parse(ExpiresDate) - Date.now()) / DAY_MS)
    if (days < SOON_DAYS) yield doubtful('Key', `It expires in ${days} days.`, 'Have an admin make another: crm create_key')
  } catch (error) {
    const refused = error instanceof CrmError && error.code === 'unauthenticated'
    yield refused
      ? bad('Key', error.message, 'unauthenticated', `Have an admin make one with crm create_key, then: crm login ${url}`)
      : failed('Key', error, 'Look at the log of the server.')
  }
}
