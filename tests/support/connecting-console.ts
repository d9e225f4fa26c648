import { type Simulate, type Simulator, startSimulator } from 'crm-simulators'
import { afterAll, beforeAll } from 'vitest'
import type { Service } from '../../src/core/service.ts'
import { accountsOn } from './accounts.ts'
import { consoleForFile } from './console.ts'

/** The console of a service that CRMs can be connected to, for the tests of a file. */
export function connectingConsole(more: Partial<Service> = {}): ReturnType<typeof consoleForFile> {
  const crm = consoleForFile({ wrap: (service) => ({ ...service, accounts: accountsOn(service.store), ...more }) })
  afterAll(() => crm.server.service.connections.close())
  return crm
}

/** A simulated CRM for the tests of a file. */
export function simulatorForFile(simulate: Simulate): Pick<Simulator, 'url' | 'faults'> {
  let simulator: Simulator
  beforeAll(async () => {
    simulator = await startSimulator(simulate)
  })
  afterAll(() => simulator.close())
  return {
    get url() {
      return simulator.url
    },
    get faults() {
      return simulator.faults
    },
  }
}
