import { CrmError } from '../../contract/errors.ts'
import { FIRST_WORKSPACE } from '../../contract/records/workspace.ts'
import { IdleCache } from '../../helpers/idle-cache.ts'
import type { Store, Workspace } from '../../platforms/store.ts'

interface Known {
  readonly version: number
  /** Undefined once it is erased. */
  readonly workspace: Workspace | undefined
}

/** The workspaces in use as they were last read; stale once the version of the store is another. */
const known = new WeakMap<Store, IdleCache<number, Known>>()

/** Refuses a workspace that is not served. Every call does so before its first step; undefined where nothing has to be read for it. */
export function refuseUnserved(store: Store, { number }: Pick<Workspace, 'number'>): Promise<void> | undefined {
  if (number === FIRST_WORKSPACE) return undefined
  const version = store.accessVersion()
  const one = known.get(store)?.get(number)
  if (one?.version !== version) return readAgain(store, number, version)
  refuseState(one.workspace)
  return undefined
}

async function readAgain(store: Store, number: number, version: number): Promise<void> {
  const workspace = await store.workspace(number)
  const workspaces = known.get(store) ?? new IdleCache<number, Known>()
  known.set(store, workspaces)
  workspaces.set(number, { version, workspace })
  refuseState(workspace)
}

/** Whether a workspace was served when it was last read. */
export function wasServed(store: Store, { number }: Pick<Workspace, 'number'>): boolean {
  const one = known.get(store)?.get(number)
  return one === undefined || isServed(one.workspace)
}

export const isServed = (workspace: Workspace | undefined): boolean => workspace?.state === 'active'

export function refuseState(workspace: Workspace | undefined): void {
  const refusal = refusalOf(workspace)
  if (refusal) throw refusal
}

/** Why a workspace is not served, where it is not. */
export function refusalOf(workspace: Workspace | undefined): CrmError | undefined {
  if (isServed(workspace)) return undefined
  if (workspace?.state === 'paused')
    return new CrmError('forbidden', `The workspace ${workspace.name} is paused.`, {
      hint: 'Nothing of it is lost. The operator of this service can resume it.',
    })
  return new CrmError('forbidden', workspace ? `The workspace ${workspace.name} is being deleted.` : 'This workspace was deleted.', {
    hint: 'Its keys cannot be used any more.',
  })
}
