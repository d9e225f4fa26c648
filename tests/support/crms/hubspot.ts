import { simulateHubSpot } from 'crm-simulators/hubspot'
import type { CrmKind } from '../../../src/platforms/crms/engine/kind.ts'
import { hubspot } from '../../../src/platforms/crms/hubspot/hubspot.ts'
import { type Crm, LACKS } from '../crms.ts'

const GROUPS = { contacts: 'contactinformation', companies: 'companyinformation', deals: 'dealinformation', tickets: 'ticketinformation' }
const EXTERNAL_ID = { name: 'external_id', label: 'External id', type: 'string', fieldType: 'text', hasUniqueValue: true }

/** An account whose administrator has made a place for ExternalID, as the documentation says. */
const withExternalIds: CrmKind = {
  ...hubspot,
  async open(opening) {
    for (const [object, groupName] of Object.entries(GROUPS)) await made(opening.address, object, { ...EXTERNAL_ID, groupName })
    return hubspot.open(opening)
  },
}

/** Tried again where the simulator misbehaves; a property that is there already is a conflict. */
async function made(address: string, object: string, property: object): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer simulator' }
  for (let left = 20; left > 0; left--) {
    const answer = await fetch(`${address}/crm/properties/2026-03/${object}`, { method: 'POST', headers, body: JSON.stringify(property) }).catch(
      () => undefined,
    )
    await answer?.text().catch(() => undefined)
    if (answer?.ok || answer?.status === 409) return
  }
}

export const HUBSPOT: Crm = {
  kind: withExternalIds,
  simulate: simulateHubSpot,
  secrets: ['token'],
  options: { lag: '100', searches: '100000' },
  values: { leadStatuses: ['Open', 'In Progress'] },
  lacks: [...LACKS, 'steady dates', 'published comments', 'member statuses', 'native campaigns', 'converted leads', 'empty texts'],
  user: (n) => ({ path: '/crm/v3/owners/', body: { email: `user${n}@example.com`, firstName: 'User', lastName: String(n) } }),
  headers: async () => ({ authorization: 'Bearer simulator' }),
}
