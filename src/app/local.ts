import { type Flags, readConfig } from '../config/settings.ts'
import type { Transport } from '../contract/client/transport.ts'
import { CrmError } from '../contract/errors.ts'
import { createAuthenticator, localAdmin } from '../core/access/authenticate.ts'
import { inProcessTransport } from '../core/call/in-process.ts'
import { acquireService } from './shared-service.ts'

export interface LocalOptions {
  /** Acts as its user; as the first admin of the workspace where there is none. */
  readonly key?: string | undefined
  readonly workspace?: string | undefined
  readonly transport?: string
  /** Refuses where there is no store, instead of creating one. */
  readonly mustExist?: boolean | undefined
  /** Makes no key for the admin of a new store, who needs none in this process. */
  readonly keyless?: boolean
  /** The environment variables; those of the process unless given. */
  readonly environment?: NodeJS.ProcessEnv
}

/** Opens the store in this process, and executes calls on it. */
export async function openLocal(flags: Flags, { key, workspace, transport, mustExist, keyless, environment }: LocalOptions = {}): Promise<Transport> {
  const { service, close } = await acquireService(readConfig(flags, environment), mustExist, keyless)
  const authenticate = createAuthenticator(service)
  try {
    const admin = key === undefined ? await localAdmin(service, workspace) : undefined
    return { ...inProcessTransport(service, () => admin ?? authenticate(key ?? ''), transport), close }
  } catch (error) {
    await close()
    const known = service.store.classify(error)
    throw known ? new CrmError(known.code, known.message, { cause: error, ...(known.hint !== undefined && { hint: known.hint }) }) : error
  }
}
