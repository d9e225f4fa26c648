import assert from 'node:assert/strict'
import { behaviour, theme } from './behaviour.ts'
import { beginning, eventsSince } from './everything.ts'
import { hook, RARE } from './records.ts'

/** Webhooks without deliveries, which would need a target that listens. */
export const webhooks = theme('webhooks', [
  behaviour('a new webhook is by default for every event, active and the caller’s', async ({ as, unique }) => {
    const { crm, userId } = await as({ role: 'admin' })
    const URL = hook(unique('hook'))
    const { Secret, ...made } = await crm.webhooks.create({ URL })
    const { WebhookID, CreatedDate, UpdatedDate, Revision } = made
    await crm.webhooks.delete({ WebhookID })
    const { Scopes } = await crm.users.getCurrent({})
    const common = { WebhookID, CreatedDate, UpdatedDate, Revision, OwnerID: userId, Scopes, PausedReason: null, FailingSince: null }
    assert.deepEqual(made, { ...common, URL, Label: null, EventTypes: ['*'], Active: true })
    assert.match(Secret, /^whsec_[A-Za-z0-9+/]{32,}=*$/)
    const all = await crm.webhooks.create({ URL, EventTypes: ['lead.*', RARE], Label: 'x', Active: false })
    assert.deepEqual([all.EventTypes, all.Label, all.Active], [['lead.*', RARE], 'x', false])
  }),

  behaviour('a secret is shown once: when it is made', async (context) => {
    const { crm, unique } = context
    const since = await beginning(context)
    const { WebhookID, Secret } = await crm.webhooks.create({ URL: hook(unique('hook')), EventTypes: [RARE], Active: false })
    const rotated = await crm.webhooks.rotateSecret({ WebhookID })
    assert.notEqual(rotated.Secret, Secret)
    const text = JSON.stringify([
      await crm.webhooks.getMany({ Filters: { WebhookID } }),
      await crm.webhooks.update({ WebhookID, FieldsToUpdate: { Label: 'x' } }),
      await crm.webhooks.delete({ WebhookID }),
      await eventsSince(crm, since),
    ])
    assert.ok(text.includes('webhook.secret_rotated') && !text.includes(Secret) && !text.includes(rotated.Secret))
  }),

  behaviour('a target that could never be called is refused', async ({ crm, refused }) => {
    const { WebhookID } = await crm.webhooks.create({ URL: hook('x'), EventTypes: [RARE], Active: false })
    for (const URL of ['nonsense', '/hooks', 'ftp://[3ffe::1]/', 'javascript:alert(1)', 'https://ada:secret@[3ffe::1]/', 'https://[3ffe::1]/#x', 'https://']) {
      await refused(crm.webhooks.create({ URL }), 'invalid_input', { field: 'URL' })
      await refused(crm.webhooks.update({ WebhookID, FieldsToUpdate: { URL } }), 'invalid_input', { field: 'FieldsToUpdate.URL' })
    }
    assert.equal((await crm.webhooks.getMany({ Filters: { WebhookID } })).Records[0]?.URL, hook('x'))
  }),

  behaviour('an event that does not exist is refused with the nearest', async ({ crm, refused }) => {
    const URL = hook('x')
    await refused(crm.webhooks.create({ URL, EventTypes: ['*', 'lead.craeted'] }), 'invalid_input', {
      field: 'EventTypes.1',
      didYouMean: 'lead.created',
    })
    for (const type of ['lead', 'lead.', '*.created', 'leads.*', 'constructor', 'webhook.test'])
      await refused(crm.webhooks.create({ URL, EventTypes: [type] }), 'invalid_input', { field: 'EventTypes.0' })
    for (const EventTypes of [[], 'lead.*', [5], null]) await refused(crm.call('create_webhook', { URL, EventTypes }), 'invalid_input', { field: 'EventTypes' })
  }),

  behaviour('what the service keeps for itself cannot be set', async ({ crm, refused }) => {
    const { WebhookID } = await crm.webhooks.create({ URL: hook('x'), EventTypes: [RARE], Active: false })
    for (const field of ['Secret', 'OldSecret', 'Position', 'PausedReason', 'FailingSince'])
      await refused(crm.call('update_webhook', { WebhookID, FieldsToUpdate: { [field]: 'x' } }), 'invalid_input', { field: `FieldsToUpdate.${field}` })
    for (const field of ['Secret', 'Position']) await refused(crm.call('create_webhook', { URL: hook('x'), [field]: 'x' }), 'invalid_input', { field })
  }),

  behaviour('a deleted webhook is gone', async ({ crm, refused }) => {
    const { WebhookID } = await crm.webhooks.create({ URL: hook('x'), EventTypes: [RARE], Active: false })
    assert.deepEqual(await crm.webhooks.delete({ WebhookID }), { WebhookID, Deleted: true })
    for (const operation of ['delete_webhook', 'rotate_webhook_secret', 'test_webhook', 'replay_deliveries'])
      await refused(crm.call(operation, { WebhookID }), 'not_found', { field: 'WebhookID' })
    await refused(crm.webhooks.update({ WebhookID, FieldsToUpdate: { Label: 'x' } }), 'not_found')
    assert.deepEqual((await crm.webhooks.getMany({ Filters: { WebhookID } })).Records, [])
  }),
])
