import { Type } from 'typebox'
import { field, nullable } from '../fields.ts'
import { LIMITS } from '../limits.ts'
import { idInput, ifRevision, manyInput, operation, pageOf } from '../operation.ts'
import { record } from '../record.ts'
import { changed, removed, textInput, withIncluded, withSecret } from '../shapes.ts'
import { User } from './user.ts'

const eventTypes = Type.Array(Type.Unsafe<string>({ type: 'string', format: 'text', maxLength: LIMITS.text }), {
  minItems: 1,
  maxItems: LIMITS.list,
  description: 'The events wanted, by Type: `lead.created`, `lead.*`, or `*` for all of them.',
})

/** A URL that events are sent to. */
export const Webhook = record({
  name: 'Webhook',
  plural: 'webhooks',
  id: 'WebhookID',
  summary: 'A URL that events are sent to as they happen, signed by the Standard Webhooks scheme.',
  names: ['Label'],
  inStore: true,
  owned: true,
  revised: true,
  indexed: [],
  fields: {
    URL: field.text({ label: 'URL', description: 'Where events are posted to, http or https.', required: true, max: LIMITS.url }),
    Label: field.text({ label: 'Label' }),
    EventTypes: field.json(eventTypes, { label: 'Event types', required: true }),
    Active: field.boolean({
      label: 'Active',
      description: 'Events wait while it is false, and are sent once it is true again.',
      required: true,
      defaultValue: true,
    }),
    Scopes: field.json(Type.Array(Type.String()), {
      label: 'Scopes',
      description: 'Those of the key that created or last updated it; it receives only events of records that these allow to read.',
      required: true,
      access: 'read',
    }),
    PausedReason: field.text({ label: 'Paused because', description: 'Why the service itself made it inactive.', access: 'read', max: LIMITS.longText }),
    FailingSince: field.timestamp({ label: 'Failing since', description: 'When deliveries began to fail; null while they succeed.', access: 'read' }),
    Secret: field.text({ label: 'Secret', required: true, access: 'secret', sealed: true }),
    OldSecret: field.text({ label: 'Old secret', access: 'secret', sealed: true }),
    OldSecretUntil: field.timestamp({ label: 'Old secret until', access: 'secret' }),
    Position: field.integer({ label: 'Position', required: true, access: 'secret' }),
  },
})

/** A delivery that failed or waits, or was given up. */
export const Delivery = record({
  name: 'Delivery',
  plural: 'deliveries',
  id: 'DeliveryID',
  summary: 'An event that could not be delivered to a webhook yet, or that was given up: a dead letter.',
  inStore: true,
  owned: false,
  revised: false,
  indexed: ['WebhookID', 'State'],
  fields: {
    WebhookID: field.id({ label: 'Webhook', required: true, access: 'read', refers: 'Webhook' }),
    EventID: field.id({ label: 'Event', required: true, access: 'read' }),
    EventType: field.text({ label: 'Event type', required: true, access: 'read' }),
    RecordID: field.id({ label: 'Record', required: true, access: 'read' }),
    State: field.oneOf(['waiting', 'dead'], { label: 'State', description: 'waiting for another attempt, or dead: given up.', required: true, access: 'read' }),
    Attempts: field.integer({ label: 'Attempts', required: true, access: 'read' }),
    NextAttempt: field.timestamp({ label: 'Next attempt', description: 'Null where none is planned.', access: 'read' }),
    LastAttempt: field.timestamp({ label: 'Last attempt', access: 'read' }),
    LastStatus: field.integer({ label: 'Last status', description: 'The HTTP status of the last answer; null where there was none.', access: 'read' }),
    LastError: field.text({ label: 'Last error', access: 'read', max: LIMITS.longText }),
  },
})

const headers = Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } })

/** One line of the delivery log of a webhook. What was sent is the event itself, which is not stored twice. */
export const Attempt = record({
  name: 'Attempt',
  plural: 'attempts',
  id: 'AttemptID',
  summary: 'One attempt to deliver an event to a webhook, whether it succeeded or not. The newest 100 of each webhook are kept, for 30 days.',
  inStore: true,
  owned: false,
  revised: false,
  indexed: ['WebhookID', 'RecordID'],
  fields: {
    WebhookID: field.id({ label: 'Webhook', required: true, access: 'read', refers: 'Webhook' }),
    EventID: field.id({ label: 'Event', required: true, access: 'read' }),
    EventType: field.text({ label: 'Event type', required: true, access: 'read' }),
    RecordID: field.id({ label: 'Record', required: true, access: 'read' }),
    SentDate: field.timestamp({ label: 'Sent', required: true, access: 'read' }),
    Delivered: field.boolean({ label: 'Delivered', description: 'Whether the target answered with 2xx.', required: true, access: 'read' }),
    Status: field.integer({ label: 'Status', description: 'The HTTP status of the answer; null where there was none.', access: 'read' }),
    Error: field.text({ label: 'Error', description: 'What went wrong; null where nothing did.', access: 'read', max: LIMITS.longText }),
    Milliseconds: field.integer({ label: 'Milliseconds', description: 'The time until the answer.', required: true, access: 'read' }),
    RequestHeaders: field.json(headers, { label: 'Request headers', description: 'Without the signature.', required: true, access: 'read' }),
    AnswerHeaders: field.json(headers, { label: 'Answer headers', description: 'Without cookies; null where there was no answer.', access: 'read' }),
    AnswerBody: field.longText({ label: 'Answer body', description: 'The first 4 kB; null where there was no answer.', access: 'read' }),
  },
})

const shown = withSecret(Webhook.stored, 'Secret')

export const createWebhook = operation({
  name: 'Create Webhook',
  method: 'webhooks.create',
  record: Webhook,
  verb: 'createWebhook',
  effect: 'create',
  summary: 'Sends events to a URL as they happen, and shows the secret that signs them once.',
  description: 'It receives the events of records its owner may see, from now on. A URL on a private network is refused unless the configuration allows it.',
  input: Type.Object(
    {
      URL: textInput(Webhook.fields.URL),
      EventTypes: Type.Optional(eventTypes),
      Label: Type.Optional(nullable<string>(Webhook.fields.Label.schema)),
      Active: Type.Optional(Type.Boolean({ description: 'False to create it without sending events yet.' })),
    },
    { additionalProperties: false },
  ),
  output: shown,
  shownOnce: 'Secret',
  example: { URL: 'https://example.com/hooks/crm', EventTypes: ['lead.*', 'case.created'] },
  extension: true,
  administration: true,
})

export const getManyWebhooks = operation({
  name: 'Get Many Webhooks',
  method: 'webhooks.getMany',
  record: Webhook,
  verb: 'getMany',
  effect: 'read',
  summary: 'Answers with the webhooks, never with their secrets.',
  input: manyInput(Webhook),
  output: pageOf(withIncluded(Webhook, { Owner: User })),
  example: { Filters: { Active: true } },
  extension: true,
  administration: true,
})

export const updateWebhook = operation({
  name: 'Update Webhook',
  method: 'webhooks.update',
  record: Webhook,
  verb: 'updateWebhook',
  effect: 'update',
  summary: 'Changes only the named fields of a webhook; `Active: true` resumes one that was paused.',
  input: Type.Object({ WebhookID: idInput('webhook'), FieldsToUpdate: Webhook.patch, IfRevision: ifRevision }, { additionalProperties: false }),
  output: changed(Webhook.stored),
  errors: ['not_found', 'conflict'],
  example: { WebhookID: '0k6v2m8q4d9x1c7b5n3t', FieldsToUpdate: { Active: true } },
  extension: true,
  administration: true,
})

export const deleteWebhook = operation({
  name: 'Delete Webhook',
  method: 'webhooks.delete',
  record: Webhook,
  verb: 'deleteWebhook',
  effect: 'delete',
  summary: 'Deletes a webhook; events that were not delivered yet are dropped.',
  input: Type.Object({ WebhookID: idInput('webhook'), IfRevision: ifRevision }, { additionalProperties: false }),
  output: removed('WebhookID'),
  errors: ['not_found', 'conflict'],
  example: { WebhookID: '0k6v2m8q4d9x1c7b5n3t' },
  extension: true,
  administration: true,
})

export const rotateWebhookSecret = operation({
  name: 'Rotate Webhook Secret',
  method: 'webhooks.rotateSecret',
  record: Webhook,
  verb: 'rotateWebhookSecret',
  effect: 'update',
  summary: 'Gives a webhook a new secret and shows it once; for 24 hours deliveries are signed with the old one too.',
  input: Type.Object({ WebhookID: idInput('webhook') }, { additionalProperties: false }),
  output: shown,
  shownOnce: 'Secret',
  errors: ['not_found'],
  example: { WebhookID: '0k6v2m8q4d9x1c7b5n3t' },
  extension: true,
  administration: true,
})

export const testWebhook = operation({
  name: 'Test Webhook',
  method: 'webhooks.test',
  record: Webhook,
  verb: 'testWebhook',
  effect: 'read',
  summary: 'Sends a `webhook.test` event to a webhook at once, signed like any other, and answers with what came back.',
  input: Type.Object({ WebhookID: idInput('webhook') }, { additionalProperties: false }),
  output: Type.Object({
    WebhookID: Type.String(),
    Delivered: Type.Boolean(),
    Status: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'The HTTP status of the answer; null where there was none.' }),
    Error: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    Milliseconds: Type.Integer(),
  }),
  errors: ['not_found', 'unsupported'],
  sends: true,
  example: { WebhookID: '0k6v2m8q4d9x1c7b5n3t' },
  extension: true,
  administration: true,
})

export const getManyDeliveries = operation({
  name: 'Get Many Deliveries',
  method: 'webhooks.getManyDeliveries',
  record: Delivery,
  verb: 'getMany',
  effect: 'read',
  summary: 'Answers with the events that could not be delivered: those waiting for another attempt, and the dead letters.',
  input: manyInput(Delivery),
  output: pageOf(Delivery.stored),
  example: { Filters: { State: 'dead' } },
  extension: true,
  administration: true,
})

export const getManyAttempts = operation({
  name: 'Get Many Attempts',
  method: 'webhooks.getManyAttempts',
  record: Attempt,
  verb: 'getMany',
  effect: 'read',
  summary: 'Answers with the delivery log of the webhooks: each attempt, with what was answered and how long it took.',
  input: manyInput(Attempt),
  output: pageOf(Attempt.stored),
  example: { Filters: { Delivered: false } },
  extension: true,
  administration: true,
})

export const replayDeliveries = operation({
  name: 'Replay Deliveries',
  method: 'webhooks.replayDeliveries',
  record: Webhook,
  verb: 'replayDeliveries',
  effect: 'update',
  summary: 'Sends dead letters of a webhook again: those named, or all of them; or the events of attempts in its log.',
  input: Type.Object(
    {
      WebhookID: idInput('webhook'),
      DeliveryIDs: Type.Optional(Type.Array(idInput('delivery'), { minItems: 1, maxItems: LIMITS.list, description: 'Only these deliveries.' })),
      AttemptIDs: Type.Optional(
        Type.Array(idInput('attempt'), {
          minItems: 1,
          maxItems: LIMITS.list,
          description: 'Only the events of these attempts, also those that were delivered.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ WebhookID: Type.String(), Replayed: Type.Integer({ description: 'The number of deliveries that will be sent again.' }) }),
  errors: ['not_found'],
  example: { WebhookID: '0k6v2m8q4d9x1c7b5n3t' },
  extension: true,
  administration: true,
})
