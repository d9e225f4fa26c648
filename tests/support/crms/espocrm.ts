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
