import type { Platform } from '../../platforms/platform.ts'
import type { Workspace } from '../../platforms/store.ts'
import { readOwnFields } from '../access/own-fields.ts'
import { refuseUnserved } from '../access/served.ts'
import { Binding, cachedBinding, SharedBinding } from '../binding.ts'
import { readConnection } from '../connections/in-use.ts'
import type { Service } from '../service.ts'

/** The present binding of a workspace, for a call, which releases it when it has ended. Not a promise where nothing has to be read for it. */
export function acquireBinding(service: Service, workspace: Workspace): Binding | Promise<Binding> {
  const looking = refuseUnserved(service.store, workspace)
  return looking ? looking.then(() => acquireUnserved(service, workspace)) : acquireUnserved(service, workspace)
}

/** The same, whether or not the workspace is served. */
export function acquireUnserved(service: Service, workspace: Workspace): Binding | Promise<Binding> {
  const acquire = () => new Binding(service, workspace, service.connections.take(workspace))
  const reading = readConnection(service, workspace)
  return reading ? reading.then(acquire) : acquire()
}

export const sharedBinding = (service: Service, workspace: Workspace): SharedBinding => new SharedBinding(() => acquireBinding(service, workspace))

/** The platform of a workspace now, for what names types only. */
export async function readPlatform(service: Service, workspace: Workspace): Promise<Platform> {
  await Promise.all([readOwnFields(service.store, workspace.number), readConnection(service, workspace)])
  return cachedBinding(service, workspace).platformForNames
}
