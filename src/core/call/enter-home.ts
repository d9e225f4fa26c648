import type { Platform } from '../../platforms/platform.ts'
import type { Workspace } from '../../platforms/store.ts'
import { readOwnFields } from '../access/own-fields.ts'
import { refuseUnserved } from '../access/served.ts'
import { readConnection } from '../connections/in-use.ts'
import { Home, knownHome, SharedHome } from '../home.ts'
import type { Service } from '../service.ts'

/** Where the records of a workspace are now, for a call, which leaves it when it has ended. Not a promise where nothing has to be read for it. */
export function enterHome(service: Service, workspace: Workspace): Home | Promise<Home> {
  const enter = () => new Home(service, workspace, service.connections.take(workspace))
  const looking = refuseUnserved(service.store, workspace)
  if (looking) return looking.then(() => readConnection(service, workspace)).then(enter)
  const reading = readConnection(service, workspace)
  return reading ? reading.then(enter) : enter()
}

export const sharedHome = (service: Service, workspace: Workspace): SharedHome => new SharedHome(() => enterHome(service, workspace))

/** The platform of a workspace now, for what names types only. */
export async function readPlatform(service: Service, workspace: Workspace): Promise<Platform> {
  await Promise.all([readOwnFields(service.store, workspace.number), readConnection(service, workspace)])
  return knownHome(service, workspace).platformForNames
}
