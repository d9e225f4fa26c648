import type { Logger } from 'pino'
import type { Config } from '../config/settings.ts'
import { CrmError } from '../contract/errors.ts'
import { countSecrets, reseal, storedSecrets } from '../core/access/sealed-records.ts'
import type { Service } from '../core/service.ts'
import { isPostgres } from './store-address.ts'

const RETRY_MS = 5_000

/**
 * Makes the first key, seals what an earlier version has stored in plain text, and warns of what cannot be opened. The service does not wait for a store
 * that cannot be reached: sealing is retried until it is. Any other failure is logged, and only prevents what needs a secret. Call the answer to stop.
 */
export async function sealAtStart(
  service: Service,
  config: Pick<Config, 'store' | 'secretKeys'>,
  log: Logger,
  onError: (error: unknown) => void,
  { retryMs = RETRY_MS } = {},
): Promise<() => Promise<void>> {
  let isStopping = false
  let timer: NodeJS.Timeout | undefined
  let running = attempt()
  await running
  return async () => {
    isStopping = true
    clearTimeout(timer)
    await running
  }

  async function attempt(): Promise<void> {
    try {
      await seal(service, config, log)
    } catch (error) {
      const known = error instanceof CrmError ? error : service.store.classify(error)
      if (known?.code !== 'platform_unavailable') {
        log.error({ stack: (error as Error).stack, hint: known?.hint }, `secrets in the store could not be sealed: ${(error as Error).message}`)
        return
      }
      onError(error)
      if (!isStopping) timer = setTimeout(() => (running = attempt()), retryMs)
    }
  }
}

/** In a database, secrets stay as they are until keys are configured: services on other machines could not open what is sealed with a key that is made here. */
async function seal(service: Service, { store, secretKeys }: Pick<Config, 'store' | 'secretKeys'>, log: Logger): Promise<void> {
  const { vault } = service
  const seals = secretKeys.length > 0 || !isPostgres(store)
  if (seals && vault.sealing() === undefined)
    log.info({ keyId: vault.sealingKey() }, 'made a key that seals the secrets in the store: keep a copy of it, apart from the backups')
  const { plain, unopened } = await countSecrets(vault, storedSecrets(service))
  if (plain > 0 && !seals) log.warn({ secrets: plain }, 'secrets are stored in plain text: give all services of the store the same CRM_SECRET_KEYS')
  else if (plain > 0) log.info({ secrets: (await reseal(service, { plainOnly: true })).plain }, 'sealed the secrets that were stored in plain text')
  if (unopened.length > 0) log.warn({ secrets: unopened.length }, 'some secrets in the store cannot be opened: crm doctor says why')
}
