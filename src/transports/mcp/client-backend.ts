import type { Crm } from '../../contract/client/client.ts'
import { describe } from '../../contract/describe.ts'
import { CrmError } from '../../contract/errors.ts'
import { mayCall } from '../../contract/scopes.ts'
import { describedPlatform, type Extending } from '../../core/call/extension.ts'
import type { Backend } from './backend.ts'
import type { Access } from './tool-filter.ts'

const CACHE_MS = 60_000
const NO_EXTENSIONS: Extending = { name: '', supports: { fields: {}, extras: {} } }

/** Executes calls through the typed client, on a local store or on a server. `onError` receives the cause of internal errors. */
export function clientBackend(crm: Crm, onError: (error: Error) => void): Backend {
  const access = async () => {
    const { Role, Scopes } = await crm.users.getCurrent({})
    return { role: Role, scopes: Scopes }
  }
  return {
    access,
    platform: cachedPlatform(crm, access),
    call: (operation, input, options) =>
      crm.call(operation, input, options).catch((error: unknown) => {
        if (error instanceof CrmError && error.code === 'internal') onError(error.cause instanceof Error ? error.cause : error)
        throw error
      }),
  }
}

/** The platform's extensions of the contract, cached because every list and call needs them; none where the caller may not read them. */
function cachedPlatform(crm: Crm, access: () => Promise<Access>): () => Promise<Extending> {
  let cached: { readonly until: number; readonly platform: Promise<Extending> } | undefined
  const read = async () => (mayCall(await access(), describe) ? describedPlatform(await crm.describe({})) : NO_EXTENSIONS)
  return () => {
    if (!cached || cached.until < Date.now()) {
      const entry = { until: Date.now() + CACHE_MS, platform: read() }
      cached = entry
      entry.platform.catch(() => {
        if (cached === entry) cached = undefined
      })
    }
    return cached.platform
  }
}
