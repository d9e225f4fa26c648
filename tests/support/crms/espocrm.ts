import { simulateEspoCrm } from 'crm-simulators/espocrm'
import type { CrmKind } from '../../../src/platforms/crms/engine/kind.ts'
import { espocrm } from '../../../src/platforms/crms/espocrm/espocrm.ts'
import { type Crm, LACKS } from '../crms.ts'

/** An account whose administrator has made a place for ExternalID, as the documentation says. */
const withExternalIds: CrmKind = {
  ...espocrm,
  async open(opening) {
    for (const scope of ['Lead', 'Opportunity', 'Case', 'Account', 'Contact'])
      await made(opening.address, `Admin/fieldManager/${scope}`, { name: 'externalId', type: 'varchar', label: 'External id' })
    return espocrm.open(opening)
  },
}

export const ESPOCRM: Crm = {
  kind: withExternalIds,
  simulate: simulateEspoCrm,
  secrets: ['apiKey'],
  values: { leadStatuses: ['Open', 'Assigned'] },
  lacks: [
    ...LACKS,
    'note authors',
    'member statuses',
    'comment authors',
    'milliseconds',
    'surrounding whitespace',
    'empty texts',
    'any phone',
    'negative amounts',
  ],
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
    Account: ALL,
    Contact: ALL,
    Campaign: { create: 'yes', read: 'all', edit: 'all', delete: 'all' },
    TargetList: { create: 'yes', read: 'all', edit: 'all' },
    User: { read: 'all' },
  },
}

/** The same as it is set up by the documentation: an API user with its role, beside an administrator for custom objects. */
export const ESPOCRM_BY_ROLE: Crm = {
  ...ESPOCRM,
  kind: {
    ...withExternalIds,
    async open(opening) {
      const role = await made(opening.address, 'Role', ROLE)
      const { apiKey } = await made(opening.address, 'User', { type: 'api', userName: 'connector', isActive: true, rolesIds: [role.id] })
      return withExternalIds.open({ ...opening, secrets: { apiKey, username: 'admin', password: 'simulator' } })
    },
  },
}

async function made(address: string, scope: string, body: object): Promise<{ readonly id: string; readonly apiKey: string }> {
  const headers = { 'content-type': 'application/json', 'x-api-key': 'simulator' }
  const answer = await fetch(`${address}/api/v1/${scope}`, { method: 'POST', headers, body: JSON.stringify(body) })
  // What was made for an earlier connection is refused, without a body.
  return (answer.ok ? await answer.json() : {}) as { id: string; apiKey: string }
}
