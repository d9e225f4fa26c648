import type { Store } from '../../platforms/store.ts'
import { inProgress } from '../journal/idempotency.ts'
import type { CheckedCall, Mode } from './types.ts'

/** Keys of the calls that this process is running. */
const running = new WeakMap<Store, Set<string>>()

/**
 * The claim step: refuses a call while another with the same key runs in this process. Returns what releases the key. Across processes the
 * store decides: a second transaction finds the stored answer, and a platform that is not the store is called only once the key is open there.
 */
export function claim({ service, caller, call, idempotency }: CheckedCall, { atomic }: Mode): () => void {
  if (!idempotency || call.dryRun || atomic?.has(idempotency.key)) return () => {}
  const claims = running.get(service.store) ?? new Set()
  running.set(service.store, claims)
  const name = `${caller.workspace.number} ${caller.userId} ${idempotency.key}`
  if (claims.has(name)) throw inProgress()
  claims.add(name)
  atomic?.add(idempotency.key)
  return () => claims.delete(name)
}
