/** Receives events over a webhook, and accepts signed ones only. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect } from 'crm-connector'
import { verifyWebhook } from 'crm-connector/webhooks'

const crm = connect({ baseUrl: process.env.CRM_URL ?? 'http://127.0.0.1:8484', key: process.env.CRM_KEY ?? '' })
const seen = new Set<string>()
const statuses: number[] = []
let secret = ''

const receiver = createServer(async (request, response) => {
  try {
    // The raw body: parsed and serialized again it would have another signature.
    const event = await verifyWebhook({ secret, headers: request.headers, body: await text(request) })
    // An event may be delivered twice, with the same id.
    if (!seen.has(event.EventID)) console.log(event.Type, event.RecordID)
    seen.add(event.EventID)
    response.writeHead(204).end()
  } catch (error) {
    response.writeHead(400).end(String(error))
  }
  statuses.push(response.statusCode)
})
await once(receiver.listen(0, '127.0.0.1'), 'listening')
const URL = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/crm`

// The service calls this machine only if it was started with CRM_WEBHOOK_PRIVATE=true.
const { WebhookID, Secret } = await crm.webhooks.create({ URL, EventTypes: ['lead.created'] })
secret = Secret
try {
  const tested = await crm.webhooks.test({ WebhookID })
  assert.equal(tested.Status, 204)
  await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
  while (seen.size < 2) await new Promise((resolve) => setTimeout(resolve, 50))
  assert.deepEqual(statuses, [204, 204])

  // Whoever does not know the secret is turned away.
  const forged = await fetch(URL, { method: 'POST', headers: { 'webhook-id': '1', 'webhook-timestamp': '0', 'webhook-signature': 'v1,' }, body: '{}' })
  assert.equal(forged.status, 400)
} finally {
  await crm.webhooks.delete({ WebhookID })
  receiver.close()
}
