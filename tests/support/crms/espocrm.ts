import { simulateEspoCrm } from 'crm-simulators/espocrm'
import { espocrm } from '../../../src/platforms/crms/espocrm/espocrm.ts'
import { type Crm, LACKS } from '../crms.ts'

export const ESPOCRM: Crm = {
  kind: espocrm,
  simulate: simulateEspoCrm,
  secrets: ['apiKey'],
  values: { leadStatuses: ['Open', 'Assigned'] },
  lacks: [...LACKS, 'note authors', 'comment authors', 'milliseconds', 'surrounding whitespace', 'empty texts', 'any phone', 'negative amounts'],
  user: (n) => ({ path: '/api/v1/User', body: { type: 'regular', userName: `user${n}`, lastName: `User ${n}`, isActive: true } }),
  headers: async () => ({ 'x-api-key': 'simulator' }),
}

const ALL = { create: 'yes', read: 'all', edit: 'all', delete: 'all', stream: 'all' }

/** What the documentation grants to the API user. */
export const ROLE = {
  name: 'connector',
  assignmentPermission: 'all',
  data: {
    Lead: ALL,
    Opportunity: ALL,
    Case: ALL,
    Campaign: { create: 'yes', read: 'all', edit: 'all', delete: 'all' },
    TargetList: { create: 'yes', read: 'all', edit: 'all' },
    User: { read: 'all' },
  },
}

/** The same as it is set up by the documentation: an API user with its role, beside an administrator for custom objects. */
export const ESPOCRM_BY_ROLE: Crm = {
  ...ESPOCRM,
  kind: {
    ...espocrm,
    async open(opening) {
      const role = await made(opening.address, 'Role', ROLE)
      const { apiKey } = await made(opening.address, 'User', { type: 'api', userName: 'connector', isActive: true, rolesIds: [role.id] })
      return espocrm.open({ ...opening, secrets: { apiKey, username: 'admin', password: 'simulator' } })
    },
  },
}

async function made(address: string, scope: string, body: object): Promise<{ readonly id: string; readonly apiKey: string }> {
  const headers = { 'content-type': 'application/json', 'x-api-key': 'simulator' }
  const answer = await fetch(`${address}/api/v1/${scope}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await answer.json()) as { id: string; apiKey: string }
}
