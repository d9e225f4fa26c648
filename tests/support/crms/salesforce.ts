import { simulateSalesforce } from 'crm-simulators/salesforce'
import { salesforce } from '../../../src/platforms/crms/salesforce/salesforce.ts'
import { type Crm, LACKS } from '../crms.ts'

export const SALESFORCE: Crm = {
  kind: salesforce,
  simulate: simulateSalesforce,
  secrets: ['clientId', 'clientSecret'],
  // The suite makes the same person again and again, which the standard duplicate rule would refuse.
  options: { duplicates: 'allow' },
  values: {},
  lacks: [...LACKS, 'comment authors', 'milliseconds', 'surrounding whitespace', 'empty booleans', 'empty texts'],
  user: (n) => ({
    path: '/services/data/v62.0/sobjects/User',
    body: { Username: `user${n}@example.com`, LastName: `User ${n}`, Email: `user${n}@example.com`, Alias: `u${n}`, IsActive: true },
  }),
  async headers(url) {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'simulator', client_secret: 'simulator' })
    const answer = await fetch(`${url}/services/oauth2/token`, { method: 'POST', body })
    return { authorization: `Bearer ${((await answer.json()) as { access_token: string }).access_token}` }
  },
}
