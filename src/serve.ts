import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pino } from 'pino'
import type { Config } from './config.ts'
import { CrmError } from './contract/errors.ts'
import { createAuthenticator } from './core/authenticate.ts'
import { bootstrap } from './core/bootstrap.ts'
import { openService, sqlitePath } from './open.ts'
import { closeWithin } from './transports/http/close.ts'
import { createLog } from './transports/http/log.ts'
import { createHttpServer } from './transports/http/server.ts'

/** How long a call under way may take after the service is told to stop. */
const GRACE_MS = 5000

/** Serves until told to stop. What a person reads goes to standard output, the log to standard error. */
export async function serve(config: Config, version: string): Promise<void> {
  const { service, close } = await openService(config)
  const log = createLog({ level: config.logLevel, pretty: process.stderr.isTTY === true, destination: pino.destination({ dest: 2, sync: false }) })
  const keyFile = keyFileOf(config)
  const { key } = await bootstrap(service, {
    ...(config.adminKey !== undefined && { adminKey: config.adminKey }),
    keep: (made) => keyFile && writeFileSync(keyFile, `${made}\n`, { mode: 0o600 }),
  })

  const app = createHttpServer({
    service,
    authenticate: createAuthenticator(service),
    log,
    version,
    assets: join(import.meta.dirname, 'docs'),
    corsOrigin: config.corsOrigin,
    trustProxy: config.trustProxy,
    rateLimit: config.rateLimit,
  })
  try {
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    await close()
    throw listenFault(error, config)
  }
  greet(config, addressOf(app.server.address(), config), keyFile, key)
  await stopped()
  log.info('stopping')
  await closeWithin(app, GRACE_MS)
  await close()
  log.info('stopped')
  log.flush()
}

/** The admin's key is kept beside the store, where only its owner can read it. */
function keyFileOf(config: Config): string | undefined {
  const path = sqlitePath(config.store)
  return path === undefined || path === ':memory:' ? undefined : join(resolve(dirname(path)), 'admin-key')
}

function addressOf(address: ReturnType<import('node:net').Server['address']>, config: Config): string {
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  const host = config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host.includes(':') ? `[${config.host}]` : config.host
  return `http://${host}:${port}`
}

function greet(config: Config, url: string, keyFile: string | undefined, made: string | undefined): void {
  const lines = [`Listening on ${url}`, `Reference with try-it: ${url}/docs`, '']
  const bearer = config.adminKey !== undefined ? '$CRM_ADMIN_KEY' : keyFile && existsSync(keyFile) ? `$(cat ${shellQuoted(keyFile)})` : undefined
  if (made !== undefined && config.adminKey === undefined) {
    if (keyFile) lines.push(`The admin's key is in ${keyFile}.`)
    // Kept out of files and logs: a key is shown to a person only.
    if (process.stdout.isTTY) lines.push(`It is ${made}`)
    lines.push('')
  }
  if (bearer) {
    lines.push(
      'Create a lead:',
      '',
      `  curl -s ${url}/v1/operations/create_a_lead -H "Authorization: Bearer ${bearer}" -H 'Content-Type: application/json' -d '{"FirstName":"Ada","LastName":"Lovelace"}'`,
      '',
    )
  } else if (made === undefined)
    lines.push(`The admin's key is not in ${keyFile ?? 'a file'}; make another with: crm create_key --Scopes read,write,delete,admin`, '')
  process.stdout.write(`${lines.join('\n')}\n`)
}

const shellQuoted = (path: string) => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)

function stopped(): Promise<void> {
  return new Promise((done) => {
    let told = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        // Whoever asks twice does not want to wait.
        if (told) process.exit(1)
        told = true
        done()
      })
    }
  })
}

function listenFault(error: unknown, { host, port }: Config): Error {
  const code = (error as { code?: string }).code
  if (code === 'EADDRINUSE')
    return new CrmError('platform_unavailable', `Port ${port} on ${host} is already in use.`, {
      hint: 'Choose another with --port or CRM_PORT; 0 takes any free one.',
    })
  if (code === 'EACCES')
    return new CrmError('forbidden', `Port ${port} on ${host} may not be used by this user.`, { hint: 'Choose one above 1023 with --port or CRM_PORT.' })
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new CrmError('invalid_input', `${host} is not an address of this machine.`, { hint: 'Choose another with --host or CRM_HOST.' })
  return error as Error
}
