import type { Logger } from 'pino'
import { CrmError } from '../contract/errors.ts'
import { countSecrets, reseal, storedSecrets } from '../core/access/sealed-records.ts'
import type { Service } from '../core/service.ts'

/**
 * Makes the first key, seals what an earlier version has stored in plain text, and warns of what cannot be opened. A failure is logged and the service
 * goes on: it only prevents what needs a secret.
 */
export async function sealAtStart(service: Service, log: Logger): Promise<void> {
  const { vault } = service
  try {
    const isNew = vault.keyIds().length === 0
    const key = vault.sealingKey()
    if (isNew) log.info({ key }, 'made a key that seals the secrets in the store: keep a copy of it, apart from the backups')
    const { plain, unopened } = await countSecrets(vault, storedSecrets(service))
    if (plain > 0) log.info({ secrets: (await reseal(service, { plainOnly: true })).plain }, 'sealed the secrets that were stored in plain text')
    if (unopened.length > 0) log.warn({ secrets: unopened.length }, 'some secrets in the store cannot be opened: crm doctor says why')
  } catch (error) {
    const known = error instanceof CrmError ? error : service.store.classify(error)
    log.error({ stack: (error as Error).stack, hint: known?.hint }, `secrets in the store could not be sealed: ${(error as Error).message}`)
  }
}
