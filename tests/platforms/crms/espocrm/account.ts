import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateEspoCrm } from 'crm-simulators/espocrm'
import type { CrmDriver } from '../../../../src/platforms/crms/engine/driver.ts'
import type { OpenOptions } from '../../../../src/platforms/crms/engine/kind.ts'
import { overridden } from '../../../../src/platforms/crms/engine/overrides.ts'
import { espocrm } from '../../../../src/platforms/crms/espocrm/espocrm.ts'
import { ROLE } from '../../../support/crms/espocrm.ts'

interface Said {
  readonly secrets?: OpenOptions['secrets']
  readonly options?: { readonly [name: string]: string }
  /** What the configuration says of the tables. */
  readonly tables?: unknown
  readonly path?: string
}

/** What the platform is opened with, over a simulator. */
export function openingOf({ url }: { readonly url: string }, { secrets = { apiKey: 'simulator' }, options = {}, tables, path = '' }: Said = {}): OpenOptions {
  return {
    address: `${url}${path}`,
    settings: { quotaFloor: 0, timeoutMs: 10_000, options },
    secrets,
    tables: overridden(espocrm.tables(options), tables, [], ''),
    retry: (attempt) => attempt(),
  }
}

export interface Account {
  readonly simulator: Simulator
  readonly driver: CrmDriver
  /** Sends something to the CRM itself, as the administrator. */
  readonly ask: <T = { readonly [name: string]: unknown }>(method: string, path: string, body?: unknown) => Promise<T>
  readonly close: () => Promise<void>
}

export async function openAccount(said: Said = {}): Promise<Account> {
  const simulator = await startSimulator(simulateEspoCrm)
  const driver = await espocrm.open(openingOf(simulator, said))
  return {
    simulator,
    driver,
    ask: (method, path, body) => asAdministrator(simulator, method, path, body),
    async close() {
      await driver.close()
      await simulator.close()
    },
  }
}

export async function asAdministrator<T>({ url }: Simulator, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${url}/api/v1/${path}`, {
    method,
    headers: { 'x-api-key': 'simulator', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${answer.headers.get('x-status-reason') ?? ''}`)
  return (await answer.json()) as T
}

/** An API user that may do this. */
export async function apiUser(
  simulator: Simulator,
  data: object,
  more: object = {},
): Promise<{ readonly id: string; readonly apiKey: string; readonly secretKey?: string }> {
  const role = await asAdministrator<{ id: string }>(simulator, 'POST', 'Role', { name: 'api', data, ...more })
  const user = { type: 'api', userName: `svc${Math.random().toString(36).slice(2)}`, authMethod: 'ApiKey', isActive: true, rolesIds: [role.id], ...more }
  return asAdministrator(simulator, 'POST', 'User', user)
}

export const ALL = { create: 'yes', read: 'all', edit: 'all', delete: 'all', stream: 'all' }

/** Everything that the platform needs, and nothing else. */
export const RIGHTS = ROLE.data
