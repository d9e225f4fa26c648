import { simulateHubSpot } from 'crm-simulators/hubspot'
import { hubspot } from '../../../src/platforms/crms/hubspot/hubspot.ts'
import { type Crm, LACKS } from '../crms.ts'

export const HUBSPOT: Crm = {
  kind: hubspot,
  simulate: simulateHubSpot,
  secrets: ['token'],
  options: { lag: '100', searches: '100000' },
  values: { leadStatuses: ['Open', 'In Progress'] },
  lacks: [...LACKS, 'steady dates', 'published comments', 'native campaigns', 'empty texts'],
  user: (n) => ({ path: '/crm/v3/owners/', body: { email: `user${n}@example.com`, firstName: 'User', lastName: String(n) } }),
  headers: async () => ({ authorization: 'Bearer simulator' }),
}
