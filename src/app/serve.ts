import cluster from 'node:cluster'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pino } from 'pino'
import type { Config } from '../config/settings.ts'
import { CrmError } from '../contract/errors.ts'
import { createAuthenticator } from '../core/access/authenticate.ts'
import { startKeyUse } from '../core/access/key-use.ts'
import { signInLink } from '../core/access/sign-in-links.ts'
import { startErasing } from '../core/journal/erasing.ts'
import { startHousekeeping } from '../core/journal/housekeeping.ts'
import { startWatch, type Watch } from '../core/watch/watch.ts'
import { startCourier } from '../core/webhooks/courier.ts'
import { shellQuote } from '../helpers/shell-quote.ts'
import type { HttpOptions } from '../transports/http/context.ts'
import { closeWithin } from '../transports/http/graceful-close.ts'
import { defaultMemory } from '../transports/http/limits/memory.ts'
import { createLog } from '../transports/http/log.ts'
import { quotaMetrics } from '../transports/http/metrics/quotas.ts'
import { watchMetrics } from '../transports/http/metrics/watch.ts'
import { createDeliveryMetrics } from '../transports/http/metrics/webhooks.ts'
import { createHttpServer } from '../transports/http/server.ts'
import { listenError } from './listen-error.ts'
import { noteAddress } from './noted-address.ts'
import { type Opened, openService } from './open.ts'
import { ownCommand } from './own-command.ts'
import { joinMetrics } from './process-metrics.ts'
import { processCount, superviseProcesses } from './processes.ts'
import { sealAtStart } from './seal-at-start.ts'
import { serviceAddress } from './service-address.ts'
import { stopSignal } from './stop-signal.ts'
import { shownStore, sqlitePath } from './store-address.ts'
import { uncaught } from './uncaught.ts'

/** How long a call under way may take once the service stops, so that all has ended within 5 s. */
const GRACE_MS = 4500

/** Serves until a signal stops it. What a person reads goes to standard output, the log to standard error. */
export async function serve(config: Config, version: string): Promise<void> {
  const log = createLog({ level: config.logLevel, pretty: process.stderr.isTTY === true, destination: pino.destination({ dest: 2, sync: false }) })
  const count = processCount(config)
  if (count > 1 && cluster.isPrimary) return superviseProcesses(count, log)
  try {
    await serveHere(config, version, log)
  } finally {
    // The channel to the supervising process would keep this one alive.
    cluster.worker?.disconnect()
  }
}

/** Serves in this process. */
async function serveHere(config: Config, version: string, log: ReturnType<typeof createLog>): Promise<void> {
  let opened: Opened | undefined
  const failed = uncaught(log, (error) => opened?.service.store.classify(error) ?? opened?.service.platform.classify(error)).then(() => {
    process.exitCode = 1
  })
  // A terminal sends SIGINT to all processes; of several, the supervising one passes it on.
  if (cluster.isWorker) process.on('SIGINT', () => {})
  const ended = Promise.race([stopSignal(cluster.isWorker ? ['SIGTERM'] : undefined), failed])
  // A store or platform that does not answer, while starting or stopping, is not waited for.
  void ended.then(() => {
    setTimeout(() => {
      log.flush()
      process.exit()
    }, GRACE_MS + 300).unref()
  })
  opened = await openService(config, { serves: true })
  const { service, close, keyFile, key } = opened
  for (const remark of new Set([service.platform, service.store, ...service.platforms.values()].map((platform) => platform.remark)))
    if (remark !== undefined) log.warn(remark)
  const logged = new WeakSet<object>()
  const trouble = (error: unknown) => {
    // Damage, and a secret that cannot be opened, are the same error object each time, and are logged once.
    if (logged.has(Object(error))) return
    logged.add(Object(error))
    const failure = error instanceof CrmError ? error : service.store.classify(error)
    // A limit of the configuration that is reached is no failure.
    if (failure?.code === 'rate_limited') log.warn({ hint: failure.hint }, failure.message)
    else log.error({ stack: (error as Error).stack, hint: failure?.hint }, failure ? `background work failed: ${failure.message}` : 'background work failed')
  }
  const keyUse = startKeyUse(service)
  const authenticate = createAuthenticator(service, keyUse.note)
  const deliveries = createDeliveryMetrics()
  let watch: Watch | undefined
  let forget = () => {}

  const app = createHttpServer({
    service,
    authenticate,
    log,
    version,
    // Relative to the bundled command, whose folder is beside the files built for browsers.
    built: join(import.meta.dirname, '..'),
    publicUrl: config.publicUrl,
    oidc: config.oidc,
    currency: config.currency,
    corsOrigin: config.corsOrigin,
    trustProxy: config.trustProxy,
    rateLimit: config.rateLimit,
    memoryBytes: config.memoryBytes ?? defaultMemory(processCount(config)),
    moreMetrics: async () => deliveries.text() + quotaMetrics(service) + (await watchMetrics(watch)),
    ...(cluster.isWorker && { allMetrics: joinMetrics }),
    ...(Object.keys(config.crms).length === 0 && sqlitePath(config.store) !== ':memory:' && { loadDemo: demoLoader(config) }),
  })
  try {
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    await close()
    throw listenError(error, config, { port: '--port or CRM_PORT', host: '--host or CRM_HOST' })
  }
  log.info(placesOf(config), 'serving')
  const stopSealing = await sealAtStart(service, config, log, trouble)
  const courier = startCourier(service, deliveries.onDelivery(log), trouble)
  const stopHousekeeping = startHousekeeping(service, trouble)
  const stopErasing = startErasing(service, trouble)
  watch = service.watch && startWatch(service, service.watch, trouble)
  const validKeyFile = keyFile !== undefined && (await isKnown(keyFile, createAuthenticator(service))) ? keyFile : undefined
  if (cluster.isPrimary || cluster.worker?.id === 1) {
    const url = addressOf(app.server.address(), config)
    forget = noteAddress(config, url)
    const link = process.stdout.isTTY ? await signInLink(service, config.publicUrl ?? url) : undefined
    process.stdout.write(greeting(config, { url, link, keyFile: validKeyFile, key }))
  }
  await ended
  log.info('stopping')
  forget()
  await Promise.all([closeWithin(app, GRACE_MS), courier.stop(), stopHousekeeping(), stopErasing(), stopSealing(), watch?.stop(), keyUse.stop()])
  await close()
  log.info('stopped')
  log.flush()
}

/** Loads the data of `crm demo`, through a second opening of the store whose clock begins in the past. */
const demoLoader =
  (config: Config): NonNullable<HttpOptions['loadDemo']> =>
  async (workspace, how) => {
    const [{ fillStore }, { DEMO }] = await Promise.all([import('../transports/cli/demo/demo.ts'), import('../transports/cli/demo/defaults.ts')])
    return fillStore((now) => openService(config, { now, mustExist: true }), { ...DEMO, workspace }, how)
  }

/** The addresses of platform and store, without passwords. */
function placesOf({ platform, store, workspaces }: Config) {
  const own = Object.entries(workspaces).map(([name, { platform: url }]) => [name, shownStore(url)])
  return { platform: shownStore(platform), store: shownStore(store), ...(own.length > 0 && { workspaces: Object.fromEntries(own) }) }
}

/** Whether the key in the file is valid: the store may have been replaced by another. */
async function isKnown(keyFile: string, authenticate: (key: string) => unknown): Promise<boolean> {
  try {
    await authenticate(readFileSync(keyFile, 'utf8').trim())
    return true
  } catch {
    return false
  }
}

function addressOf(address: ReturnType<import('node:net').Server['address']>, config: Config): string {
  return serviceAddress({ host: config.host, port: typeof address === 'object' && address !== null ? address.port : config.port })
}

interface Greeted {
  readonly url: string
  /** Signs in once; undefined where the output is no terminal. */
  readonly link: string | undefined
  readonly keyFile: string | undefined
  readonly key: string | undefined
}

/** Works in any folder, and without the variables of the service. Addresses of other databases may have a password, and are left to the configuration. */
function signInCommand({ platform, store, publicUrl }: Config, url: string): string {
  const places = Object.entries({ platform, ...(store !== platform && { store }) }).flatMap(([name, address]) => {
    const path = sqlitePath(address)
    return path === undefined || path === ':memory:' ? [] : [`--${name}`, `sqlite:${resolve(path)}`]
  })
  return [...ownCommand(), 'sign-in', ...places, '--at', publicUrl ?? url].map(shellQuote).join(' ')
}

/** A key or a link to sign in with is shown to a person only, never to a file or a log. */
function greeting(config: Config, { url, link, keyFile, key }: Greeted): string {
  const { adminKey } = config
  const shown = adminKey === undefined && process.stdout.isTTY ? key : undefined
  const bearer = adminKey !== undefined ? '$CRM_ADMIN_KEY' : keyFile !== undefined ? `$(cat ${shellQuote(keyFile)})` : shown
  const lines = [
    `Listening on ${url}`,
    `Console: ${url}`,
    `Documentation: ${url}/docs`,
    '',
    ...(link === undefined
      ? ['Sign in with a link that works once, which this prints:', '', `  ${signInCommand(config, url)}`, '']
      : ['Sign in, once and within an hour:', '', `  ${link}`, '']),
    ...(adminKey === undefined && keyFile !== undefined && key !== undefined ? [`The admin's key is in ${keyFile}.`] : []),
    ...(shown !== undefined ? [`The admin's key is ${shown}`] : []),
    ...(bearer !== undefined
      ? [
          'Create a lead:',
          '',
          `  curl -s ${url}/v1/operations/create_a_lead -H "Authorization: Bearer ${bearer}" -H 'Content-Type: application/json' -d '{"FirstName":"Ada","LastName":"Lovelace"}'`,
        ]
      : [
          `No file has the admin's key of this store. ${key === undefined ? `Make another with: ${ownCommand().map(shellQuote).join(' ')} create_key --Scopes read,write,delete,admin` : 'Give one with CRM_ADMIN_KEY.'}`,
        ]),
    '',
  ]
  return `${lines.join('\n')}\n`
}
