import cluster from 'node:cluster'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Config } from '../config/settings.ts'
import { CrmError } from '../contract/errors.ts'
import { createAuthenticator } from '../core/access/authenticate.ts'
import { startErasing } from '../core/journal/erasing.ts'
import { startHousekeeping } from '../core/journal/housekeeping.ts'
import { startWatch, type Watch } from '../core/watch/watch.ts'
import { startCourier } from '../core/webhooks/courier.ts'
import { shellQuote } from '../helpers/shell-quote.ts'
import { closeWithin } from '../transports/http/graceful-close.ts'
import { defaultMemory } from '../transports/http/limits/memory.ts'
import { createLog } from '../transports/http/log.ts'
import { quotaMetrics } from '../transports/http/metrics/quotas.ts'
import { watchMetrics } from '../transports/http/metrics/watch.ts'
import { createDeliveryMetrics } from '../transports/http/metrics/webhooks.ts'
import { createHttpServer } from '../transports/http/server.ts'
import { listenError } from './listen-error.ts'
import { type Opened, openService, shownStore } from './open.ts'
import { joinMetrics } from './process-metrics.ts'
import { processCount, superviseProcesses } from './processes.ts'
import { sealAtStart } from './seal-at-start.ts'
import { stopSignal } from './stop-signal.ts'
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
  opened = await openService(config, false, undefined, true)
  const { service, close, keyFile, key } = opened
  for (const remark of new Set([service.platform, service.store, ...service.platforms.values()].map((platform) => platform.remark)))
    if (remark !== undefined) log.warn(remark)
  const authenticate = createAuthenticator(service)
  const deliveries = createDeliveryMetrics()
  let watch: Watch | undefined

  const app = createHttpServer({
    service,
    authenticate,
    log,
    version,
    // Relative to the bundled command, whose folder is beside the files built for browsers.
    built: join(import.meta.dirname, '..'),
    publicUrl: config.publicUrl,
    oidc: config.oidc,
    corsOrigin: config.corsOrigin,
    trustProxy: config.trustProxy,
    rateLimit: config.rateLimit,
    memoryBytes: config.memoryBytes ?? defaultMemory(processCount(config)),
    moreMetrics: () => deliveries.text() + quotaMetrics(service) + watchMetrics(watch),
    ...(cluster.isWorker && { allMetrics: joinMetrics }),
  })
  try {
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    await close()
    throw listenError(error, config, { port: '--port or CRM_PORT', host: '--host or CRM_HOST' })
  }
  log.info(placesOf(config), 'serving')
  await sealAtStart(service, config, log)
  const logged = new WeakSet<object>()
  const trouble = (error: unknown) => {
    // Damage, and a secret that cannot be opened, are the same error object each time, and are logged once.
    if (logged.has(Object(error))) return
    logged.add(Object(error))
    const failure = error instanceof CrmError ? error : service.store.classify(error)
    log.error({ stack: (error as Error).stack, hint: failure?.hint }, failure ? `background work failed: ${failure.message}` : 'background work failed')
  }
  const courier = startCourier(service, deliveries.onDelivery(log), trouble)
  const stopHousekeeping = startHousekeeping(service, trouble)
  const stopErasing = startErasing(service, trouble)
  watch = service.watch && startWatch(service, service.watch, trouble)
  const validKeyFile = keyFile !== undefined && (await isKnown(keyFile, authenticate)) ? keyFile : undefined
  if (cluster.isPrimary || cluster.worker?.id === 1) process.stdout.write(greeting(config, addressOf(app.server.address(), config), validKeyFile, key))
  await ended
  log.info('stopping')
  await Promise.all([closeWithin(app, GRACE_MS), courier.stop(), stopHousekeeping(), stopErasing(), watch?.stop()])
  await close()
  log.info('stopped')
  log.flush()
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
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  const host = config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host.includes(':') ? `[${config.host}]` : config.host
  return `http://${host}:${port}`
}

/** A key is shown to a person only, never to a file or a log. */
function greeting({ adminKey }: Config, url: string, keyFile: string | undefined, key: string | undefined): string {
  const shown = adminKey === undefined && process.stdout.isTTY ? key : undefined
  const bearer = adminKey !== undefined ? '$CRM_ADMIN_KEY' : keyFile !== undefined ? `$(cat ${shellQuote(keyFile)})` : shown
  const lines = [
    `Listening on ${url}`,
    `Console: ${url}`,
    `Reference with try-it: ${url}/docs`,
    '',
    ...(adminKey === undefined && keyFile !== undefined && key !== undefined ? [`The admin's key is in ${keyFile}.`] : []),
    ...(shown !== undefined ? [`The admin's key is ${shown}`] : []),
    ...(bearer !== undefined
      ? [
          'Create a lead:',
          '',
          `  curl -s ${url}/v1/operations/create_a_lead -H "Authorization: Bearer ${bearer}" -H 'Content-Type: application/json' -d '{"FirstName":"Ada","LastName":"Lovelace"}'`,
        ]
      : [
          `No file has the admin's key of this store. ${key === undefined ? 'Make another with: crm create_key --Scopes read,write,delete,admin' : 'Give one with CRM_ADMIN_KEY.'}`,
        ]),
    '',
  ]
  return `${lines.join('\n')}\n`
}
