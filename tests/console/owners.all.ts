import { simulateHubSpot } from 'crm-simulators/hubspot'
import { test } from 'vitest'
import { connectingConsole, simulatorForFile } from '../support/connecting-console.ts'

const crm = connectingConsole()
const hubspot = simulatorForFile(simulateHubSpot)

async function inHubSpot(method: string, path: string, body: unknown) {
  const answer = await fetch(`${hubspot.url}${path}`, {
    method,
    headers: { authorization: 'Bearer simulator', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await answer.json()) as { readonly id: string }
}

test('an owner who is a user of the CRM alone has a name', async () => {
  const { call } = crm.server
  await call('create_connection', { Platform: 'hubspot', Address: hubspot.url, Secrets: { token: 'simulator' }, Label: 'HubSpot' })
  const { LeadID } = await call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  const owner = await inHubSpot('POST', '/crm/v3/owners/', { email: 'grace@example.com', firstName: 'Grace', lastName: 'Hopper' })
  await inHubSpot('PATCH', `/crm/v3/objects/contacts/${LeadID}`, { properties: { hubspot_owner_id: owner.id } })
  const page = await crm.open(`#/leads/${LeadID}`)
  await page.getByText('Grace Hopper', { exact: true }).first().waitFor()
})
