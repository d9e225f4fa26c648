import { CrmError, type Fault } from '../../contract/errors.ts'
import { EVENT_PATTERNS } from '../../contract/event-patterns.ts'
import { nearest } from '../../contract/names.ts'
import { quote } from '../../contract/operations.ts'
import { TEST_EVENT } from '../../contract/records/event.ts'
import { Attempt, Delivery, Webhook } from '../../contract/records/webhook.ts'
import { quoted } from '../../contract/visible-text.ts'
import type { StoredRecord, Writer } from '../../platforms/platform.ts'
import { notFound } from '../access/access.ts'
import { openOrNull, sealed } from '../access/sealed-records.ts'
import { refuseBeyondLimit } from '../access/workspace-limits.ts'
import { refuse } from '../call/check.ts'
import { findRecords, getRecord, hasValues, newRecord, nextRevision, type RecordOf, shown } from '../call/records.ts'
import type { Context, Prepared } from '../call/types.ts'
import { changeTo } from '../journal/changes.ts'
import { logAttempts, removeAttempts } from '../webhooks/attempts.ts'
import { secretsOf } from '../webhooks/secrets.ts'
import { send, sentHeaders } from '../webhooks/send.ts'
import { newSecret, signatureHeaders } from '../webhooks/signature.ts'
import { targetFault } from '../webhooks/targets.ts'
import { checkRevision, visible, visibleUser } from './context.ts'

const SECRET_OVERLAP_MS = 86_400_000
const ALL = ['*']

export async function createWebhook(context: Context): Promise<Prepared> {
  const { service, caller, input } = context
  await refuseFaults(context, '', input)
  const { newest } = await service.store.journal(caller.workspace.number).span()
  return {
    on: Webhook,
    async work(writer) {
      await refuseBeyondLimit(context, writer, 'webhooks')
      const secret = newSecret()
      const hook = newRecord(Webhook, writer.newId(), {
        EventTypes: ALL,
        ...input,
        OwnerID: caller.userId,
        Scopes: caller.scopes,
        Secret: secret,
        Position: newest,
      })
      await writer.create(Webhook.name, sealed(context, writer, Webhook, hook))
      return { answer: { ...shown(Webhook, hook), Secret: secret }, change: changeTo(Webhook, 'created', null, hook) }
    },
  }
}

export async function updateWebhook(context: Context): Promise<Prepared> {
  const { service, caller, input } = context
  const changes = input.FieldsToUpdate as StoredRecord
  const { WebhookID: id } = await visible(service.store.reader(caller.workspace.number), context, Webhook)
  await refuseFaults(context, 'FieldsToUpdate.', changes)
  return {
    on: Webhook,
    async work(writer) {
      const hook = await visible(writer, context, Webhook)
      if (typeof changes.OwnerID === 'string') await visibleUser(context, changes.OwnerID, 'FieldsToUpdate.OwnerID', { on: Webhook, writer })
      checkRevision(context.service.store, hook, Webhook, input.IfRevision)
      // A resumed webhook starts without the failures of before.
      const resumed: StoredRecord = changes.Active === true ? { PausedReason: null, FailingSince: null } : {}
      const values: StoredRecord = { ...changes, ...resumed, Scopes: caller.scopes }
      if (hasValues(hook, values)) return { answer: { ...shown(Webhook, hook), UpdatedFields: [] } }
      const applied = { ...values, ...nextRevision(hook, writer.now()) }
      await writer.update(Webhook.name, id, applied)
      const after = { ...hook, ...applied }
      return { answer: { ...shown(Webhook, after), UpdatedFields: Object.keys(changes) }, change: changeTo(Webhook, 'updated', hook, after) }
    },
  }
}

/** Deletes the waiting deliveries, the dead letters and the delivery log too. */
export function deleteWebhook(context: Context): Prepared {
  return {
    on: Webhook,
    async work(writer) {
      const hook = await visible(writer, context, Webhook)
      checkRevision(context.service.store, hook, Webhook, context.input.IfRevision)
      const id = hook.WebhookID
      for (const { DeliveryID } of await deliveriesOf(writer, id)) await writer.delete(Delivery.name, DeliveryID)
      await removeAttempts(writer, 'WebhookID', id)
      await writer.delete(Webhook.name, id)
      return { answer: { WebhookID: id, Deleted: true }, change: changeTo(Webhook, 'deleted', hook, null) }
    },
  }
}

export function rotateWebhookSecret(context: Context): Prepared {
  return {
    on: Webhook,
    async work(writer) {
      const hook = await visible(writer, context, Webhook)
      const secret = newSecret()
      const until = new Date(context.service.now().getTime() + SECRET_OVERLAP_MS).toISOString()
      // A secret that cannot be opened is given up: the new one makes the webhook work again.
      const old = openOrNull(context, Webhook, hook, 'Secret')
      const applied = { Secret: secret, OldSecret: old, OldSecretUntil: old && until, ...nextRevision(hook, writer.now()) }
      await writer.update(Webhook.name, hook.WebhookID, sealed(context, writer, Webhook, applied, hook.WebhookID))
      const after = { ...hook, ...applied }
      return { answer: { ...shown(Webhook, after), Secret: secret }, change: changeTo(Webhook, 'secret_rotated', hook, after) }
    },
  }
}

/** Sends a test event, and notes it in the delivery log. */
export async function testWebhook(context: Context): Promise<unknown> {
  const { service, caller } = context
  const hook = await visible(service.store.reader(caller.workspace.number), context, Webhook)
  const at = service.now()
  const id = `${hook.WebhookID}-test-${at.getTime()}`
  const event = {
    EventID: id,
    Type: TEST_EVENT,
    At: at.toISOString(),
    RecordType: Webhook.name,
    RecordID: hook.WebhookID,
    UserID: caller.userId,
    Source: 'api',
    ChangeID: null,
    BatchID: null,
    ChangedFields: [],
    Before: null,
    Record: shown(Webhook, hook),
  }
  const body = JSON.stringify(event)
  const headers = signatureHeaders(id, at, body, secretsOf(service, caller.workspace, hook, at))
  const { timeoutMs, allowPrivate } = service.webhooks
  const result = await send({ url: hook.URL, headers, body, timeoutMs, allowPrivate })
  await service.store.write(caller.workspace.number, async (writer) => {
    if (await getRecord(writer, Webhook, hook.WebhookID))
      await logAttempts(writer, hook.WebhookID, [{ eventId: id, event, at, headers: sentHeaders({ headers, body }), result }])
  })
  const { ok, status, error, ms } = result
  return { WebhookID: hook.WebhookID, Delivered: ok, Status: status, Error: error, Milliseconds: Math.round(ms) }
}

/** Makes dead letters, or the events of attempts, wait for a new attempt. */
export function replayDeliveries(context: Context): Prepared {
  const { DeliveryIDs, AttemptIDs } = context.input as { readonly DeliveryIDs?: readonly string[]; readonly AttemptIDs?: readonly string[] }
  return {
    on: Webhook,
    async work(writer) {
      const hook = await visible(writer, context, Webhook)
      const id = hook.WebhookID
      const dead = DeliveryIDs ? await namedDead(writer, id, DeliveryIDs) : AttemptIDs ? [] : await deliveriesOf(writer, id, 'dead')
      const again = AttemptIDs ? await ofAttempts(writer, id, AttemptIDs) : { known: [], forgotten: [] }
      const known = new Set([...dead, ...again.known].map(({ DeliveryID }) => DeliveryID))
      const soon = { State: 'waiting', Attempts: 0, NextAttempt: writer.now() }
      for (const deliveryId of known) await writer.update(Delivery.name, deliveryId, soon)
      for (const { EventID, EventType, RecordID } of again.forgotten)
        await writer.create(Delivery.name, newRecord(Delivery, writer.newId(), { WebhookID: id, EventID, EventType, RecordID, ...soon }))
      const answer = { WebhookID: id, Replayed: known.size + again.forgotten.length }
      if (answer.Replayed === 0) return { answer }
      const applied = nextRevision(hook, writer.now())
      await writer.update(Webhook.name, id, applied)
      return { answer, change: changeTo(Webhook, 'replayed', hook, { ...hook, ...applied }) }
    },
  }
}

/** The deliveries of attempts that still wait or were given up, and one attempt of each event that has none: it was delivered. */
async function ofAttempts(writer: Writer, webhookId: string, ids: readonly string[]) {
  const byEvent = new Map<string, RecordOf<typeof Attempt>>()
  for (const id of ids) {
    const attempt = await getRecord(writer, Attempt, id)
    if (attempt?.WebhookID !== webhookId) throw notFound(Attempt, id, 'AttemptIDs')
    if (attempt.EventType === TEST_EVENT) throw testAgain(id)
    byEvent.set(attempt.EventID, attempt)
  }
  const known = (await deliveriesOf(writer, webhookId)).filter(({ EventID }) => byEvent.has(EventID))
  for (const { EventID } of known) byEvent.delete(EventID)
  return { known, forgotten: [...byEvent.values()] }
}

/** A test event is no event of the journal. */
function testAgain(id: string): CrmError {
  const message = `The attempt ${quoted(id)} is of a test event, which test_webhook sends.`
  return new CrmError('invalid_input', message, { errors: [{ field: 'AttemptIDs', code: 'value', message, expected: 'attempts to deliver events' }] })
}

async function namedDead(writer: Writer, webhookId: string, ids: readonly string[]): Promise<RecordOf<typeof Delivery>[]> {
  const found: RecordOf<typeof Delivery>[] = []
  for (const id of new Set(ids)) {
    const delivery = await getRecord(writer, Delivery, id)
    if (!delivery || delivery.WebhookID !== webhookId) throw notFound(Delivery, id, 'DeliveryIDs')
    if (delivery.State === 'dead') found.push(delivery)
  }
  return found
}

function deliveriesOf(writer: Writer, webhookId: string, state?: string): Promise<readonly RecordOf<typeof Delivery>[]> {
  return findRecords(writer, Delivery, {
    where: [
      { field: 'WebhookID', family: 'text', operator: 'eq', value: webhookId },
      ...(state === undefined ? [] : [{ field: 'State', family: 'text' as const, operator: 'eq' as const, value: state }]),
    ],
    order: { field: Delivery.createdField, descending: false },
    limit: Number.MAX_SAFE_INTEGER,
  })
}

/** Refuses a target or event types that are invalid, with all faults at once. */
async function refuseFaults({ service, operation }: Context, at: string, given: { readonly [name: string]: unknown }): Promise<void> {
  const faults: Fault[] = []
  if (typeof given.URL === 'string') {
    const message = await targetFault(given.URL, service.webhooks.allowPrivate)
    if (message) faults.push({ field: `${at}URL`, code: 'value', message, expected: 'an http or https URL that may be called' })
  }
  for (const [i, type] of ((given.EventTypes ?? []) as string[]).entries()) {
    if (EVENT_PATTERNS.has(type)) continue
    const [near] = nearest(type, EVENT_PATTERNS)
    const field = `${at}EventTypes.${i}`
    faults.push({
      field,
      code: 'value',
      message: `There is no event called ${quote(type)}.`,
      expected: [...EVENT_PATTERNS].join(', '),
      ...(near && { didYouMean: near }),
    })
  }
  if (faults.length > 0) throw refuse(operation, faults)
}
