import type { Crm } from '../../contract/client/client.ts'
import { describe } from '../../contract/describe.ts'
import { CrmError } from '../../contract/errors.ts'
import { mayCall } from '../../contract/scopes.ts'
import { describedPlatform, type Extending } from '../../core/call/extension.ts'
import { SeenRevisions } from '../../core/remarks/seen-revisions.ts'
import type { Backend } from './backend.ts'
import type { Access } from './tool-filter.ts'

const CACHE_MS = 60_000
const NO_EXTENSIONS: Extending = { name: '', supports: { fields: {}, extras: {} } }

/** Executes calls through the typed client, on a local store or on a server. `onError` receives the cause of internal errors. */
export function clientBackend(crm: Crm, onError: (error: Error) => void): Backend {
  const access = async () => {
    const { UserID, Role, Scopes } = await crm.users.getCurrent({})
    return { userId: UserID, role: Role, scopes: Scopes }
  }
  const report = (error: unknown): never => {
    if (error instanceof CrmError && error.code === 'internal') onError(error.cause instanceof Error ? error.cause : error)
    throw error
  }
  return {
    access,
    platform: cached(() => readPlatform(crm, access)),
    reading: cached(async () => ({ writer: await access(), call: (operation: string, input: object) => crm.call(operation, input) })),
    seen: new SeenRevisions(),
    follow: (options) => crm.events.follow(options),
    call: (operation, input, options) => crm.call(operation, input, options).catch(report),
    batch: (batch, options) => crm.batch(batch, options).catch(report),
  }
}

/** The platform's extensions of the contract; none where the caller may not read them. */
async function readPlatform(crm: Crm, access: () => Promise<Access>): Promise<Extending> {
  return mayCall(await access(), describe) ? describedPlatform(await crm.describe({})) : NO_EXTENSIONS
}

/** Cached for a minute, because every list and call needs it. A failure is not. */
function cached<T>(read: () => Promise<T>): () => Promise<T> {
  let entry: { readonly until: number; readonly value: Promise<T> } | undefined
  return () => {
    if (!entry || entry.until < Date.now()) {
      const made = { until: Date.now() + CACHE_MS, value: read() }
      entry = made
      made.value.catch(() => {
        if (entry === made) entry = undefined
      })
    }
    return entry.value
  }
}
