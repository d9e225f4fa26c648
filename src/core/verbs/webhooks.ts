import type { Fault } from '../../contract/errors.ts'
import { nearest } from '../../contract/names.ts'
import { quote } from '../../contract/operations.ts'
import { EVENT_TYPES, TEST_EVENT } from '../../contract/records/event.ts'
import { Delivery, Webhook } from '../../contract/records/webhook.ts'
import type { StoredRecord, Writer } from '../../platforms/platform.ts'
import { notFound } from '../access/access.ts'
import { refuse } from '../call/check.ts'
import { newRecord, nextRevision, shown } from '../call/records.ts'
import type { Context, Prepared } from '../call/types.ts'
import { happened } from '../journal/changes.ts'
import { secretsOf } from '../webhooks/secrets.ts'
import { send } from '../webhooks/send.ts'
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
      const secret = newSecret()
      const hook = newRecord(Webhook, writer.newId(), {
        EventTypes: ALL,
        ...input,
        OwnerID: caller.userId,
        Scopes: caller.scopes,
        Secret: secret,
        Position: newest,
      })
      await writer.create(Webhook.name, hook)
      return { answer: { ...shown(Webhook, hook), Secret: secret }, change: happened(Webhook, 'created', null, hook) }
    },
  }
}

export async function updateWebhook(context: Context): Promise<Prepared> {
  const { service, caller, input } = context
  const changes = input.FieldsToUpdate as StoredRecord
  const id = input.WebhookID as string
  await visible(service.store.reader(caller.workspace.number), caller, Webhook, id)
  await refuseFaults(context, 'FieldsToUpdate.', changes)
  return {
    on: Webhook,
    async work(writer) {
      const hook = await visible(writer, caller, Webhook, id)
      if (typeof changes.OwnerID === 'string') await visibleUser(context, changes.OwnerID, 'FieldsToUpdate.OwnerID', { on: Webhook, writer })
      checkRevision(hook, Webhook, input.IfRevision)
      // Whoever resumes a webhook gives it a new beginning.
      const resumed: StoredRecord = changes.Active === true ? { PausedReason: null, FailingSince: null } : {}
      const applied = { ...changes, ...resumed, Scopes: caller.scopes, ...nextRevision(hook, writer.now()) }
      await writer.update(Webhook.name, id, applied)
      const after = { ...hook, ...applied }
      return { answer: { ...shown(Webhook, after), UpdatedFields: Object.keys(changes) }, change: happened(Webhook, 'updated', hook, after) }
    },
  }
}

/** What was not delivered goes with it. */
export function deleteWebhook({ caller, input }: Context): Prepared {
  return {
    on: Webhook,
    async work(writer) {
      const hook = await visible(writer, caller, Webhook, input.WebhookID as string)
      checkRevision(hook, Webhook, input.IfRevision)
      const id = hook.WebhookID as string
      for (const { DeliveryID } of await deliveriesOf(writer, id)) await writer.delete(Delivery.name, DeliveryID as string)
      await writer.delete(Webhook.name, id)
      return { answer: { WebhookID: id, Deleted: true }, change: happened(Webhook, 'deleted', hook, null) }
    },
  }
}

export function rotateWebhookSecret({ service, caller, input }: Context): Prepared {
  return {
    on: Webhook,
    async work(writer) {
      const hook = await visible(writer, caller, Webhook, input.WebhookID as string)
      const secret = newSecret()
      const until = new Date(service.now().getTime() + SECRET_OVERLAP_MS).toISOString()
      const applied = { Secret: secret, OldSecret: hook.Secret as string, OldSecretUntil: until, ...nextRevision(hook, writer.now()) }
      await writer.update(Webhook.name, hook.WebhookID as string, applied)
      const after = { ...hook, ...applied }
      return { answer: { ...shown(Webhook, after), Secret: secret }, change: happened(Webhook, 'secret_rotated', hook, after) }
    },
  }
}

export async function testWebhook({ service, caller, input }: Context): Promise<unknown> {
  const hook = await visible(service.store.reader(caller.workspace.number), caller, Webhook, input.WebhookID as string)
  const at = service.now()
  const id = `${hook.WebhookID}-test-${at.getTime()}`
  const body = JSON.stringify({
    EventID: id,
    Type: TEST_EVENT,
    At: at.toISOString(),
    RecordType: Webhook.name,
    RecordID: hook.WebhookID,
    UserID: caller.userId,
    ChangeID: null,
    ChangedFields: [],
    Record: shown(Webhook, hook),
  })
  const { timeoutMs, allowPrivate } = service.webhooks
  const { ok, status, error, ms } = await send({
    url: hook.URL as string,
    headers: signatureHeaders(id, at, body, secretsOf(hook, at)),
    body,
    timeoutMs,
    allowPrivate,
  })
  return { WebhookID: hook.WebhookID, Delivered: ok, Status: status, Error: error, Milliseconds: Math.round(ms) }
}

/** Puts dead letters back among those that wait for an attempt. */
export function replayDeliveries({ caller, input }: Context): Prepared {
  const wanted = input.DeliveryIDs as readonly string[] | undefined
  return {
    on: Webhook,
    async work(writer) {
      const hook = await visible(writer, caller, Webhook, input.WebhookID as string)
      const id = hook.WebhookID as string
      const dead = wanted ? await named(writer, id, wanted) : await deliveriesOf(writer, id, 'dead')
      for (const delivery of dead) {
        await writer.update(Delivery.name, delivery.DeliveryID as string, { State: 'waiting', Attempts: 0, NextAttempt: writer.now() })
      }
      const answer = { WebhookID: id, Replayed: dead.length }
      if (dead.length === 0) return { answer }
      const applied = nextRevision(hook, writer.now())
      await writer.update(Webhook.name, id, applied)
      return { answer, change: happened(Webhook, 'replayed', hook, { ...hook, ...applied }) }
    },
  }
}

async function named(writer: Writer, webhookId: string, ids: readonly string[]): Promise<StoredRecord[]> {
  const found: StoredRecord[] = []
  for (const id of new Set(ids)) {
    const delivery = await writer.get(Delivery.name, id)
    if (!delivery || delivery.WebhookID !== webhookId) throw notFound(Delivery, id, 'DeliveryIDs')
    if (delivery.State === 'dead') found.push(delivery)
  }
  return found
}

async function deliveriesOf(writer: Writer, webhookId: string, state?: string): Promise<readonly StoredRecord[]> {
  const { records } = await writer.find(Delivery.name, {
    where: [
      { field: 'WebhookID', family: 'text', operator: 'eq', value: webhookId },
      ...(state === undefined ? [] : [{ field: 'State', family: 'text' as const, operator: 'eq' as const, value: state }]),
    ],
    order: { field: Delivery.createdField, descending: false },
    limit: Number.MAX_SAFE_INTEGER,
  })
  return records
}

/** Names everything wrong with a target and the events wanted. */
async function refuseFaults({ service, operation }: Context, at: string, given: { readonly [name: string]: unknown }): Promise<void> {
  const faults: Fault[] = []
  if (typeof given.URL === 'string') {
    const message = await targetFault(given.URL, service.webhooks.allowPrivate)
    if (message) faults.push({ field: `${at}URL`, code: 'value', message, expected: 'an http or https URL that may be called' })
  }
  for (const [i, type] of ((given.EventTypes ?? []) as string[]).entries()) {
    if (KNOWN.has(type)) continue
    const [near] = nearest(type, KNOWN)
    const field = `${at}EventTypes.${i}`
    faults.push({
      field,
      code: 'value',
      message: `There is no event called ${quote(type)}.`,
      expected: [...KNOWN].join(', '),
      ...(near && { didYouMean: near }),
    })
  }
  if (faults.length > 0) throw refuse(operation, faults)
}

const KNOWN: ReadonlySet<string> = new Set([...ALL, ...EVENT_TYPES.flatMap(({ type }) => [`${type.split('.')[0]}.*`, type])])
