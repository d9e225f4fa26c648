import { Delivery, Webhook } from '../../contract/records/webhook.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import type { StoreWriter, Workspace } from '../../platforms/store.ts'
import { getRecord, newRecord, nextRevision } from '../call/records.ts'
import { changeTo, lineOf } from '../journal/changes.ts'
import { numberId } from '../journal/positions.ts'
import type { Service } from '../service.ts'
import { type Attempted, logAttempts } from './attempts.ts'
import { backoffAfter } from './backoff.ts'
import type { Item, Round, StoredWebhook } from './round.ts'
import type { Delivered } from './send.ts'

/** The outcome of a round. */
export interface Results {
  readonly delivered: Item[]
  readonly failed: { readonly item: Item; readonly result: Delivered }[]
  /** Because an earlier event of the record failed, or the target is down. */
  readonly notTried: Item[]
  readonly attempts: Attempted[]
}

/** Stores the outcome of a round, in one transaction. Resolves to when deliveries began to fail; null while they succeed. */
export async function writeResults(
  service: Service,
  workspace: Workspace,
  { WebhookID: id }: StoredWebhook,
  round: Round,
  { delivered, failed, notTried, attempts }: Results,
): Promise<string | null> {
  return service.store.write(workspace.number, async (writer) => {
    const current = await getRecord(writer, Webhook, id)
    if (!current) return null
    const done = [...round.lost, ...delivered.flatMap(({ delivery }) => (delivery ? [delivery] : []))]
    for (const { DeliveryID } of done) await writer.delete(Delivery.name, DeliveryID)
    for (const { item, result } of failed) await put(writer, id, item, failedRow(service, item, result, writer.now()))
    for (const item of [...notTried, ...round.held]) if (!item.delivery) await put(writer, id, item, { State: 'waiting', NextAttempt: writer.now() })
    await logAttempts(writer, id, attempts)
    const failingSince = delivered.length > 0 ? null : (current.FailingSince ?? (failed.length > 0 ? writer.now() : null))
    await writer.update(Webhook.name, id, { Position: Math.max(current.Position, round.position), FailingSince: failingSince })
    return failingSince
  })
}

async function put(writer: StoreWriter, webhookId: string, { number, event, delivery }: Item, row: StoredRecord): Promise<void> {
  if (delivery) await writer.update(Delivery.name, delivery.DeliveryID, row)
  else {
    const { Type, RecordID } = event
    const EventID = numberId(number)
    await writer.create(Delivery.name, newRecord(Delivery, writer.newId(), { WebhookID: webhookId, EventID, EventType: Type, RecordID, Attempts: 0, ...row }))
  }
}

function failedRow({ webhooks }: Service, { delivery }: Item, { status, error, retryAfter }: Delivered, now: string): StoredRecord {
  const attempts = (delivery?.Attempts ?? 0) + 1
  const dead = attempts >= webhooks.attempts
  const backoff = Math.max(backoffAfter(attempts, webhooks.backoffMs), Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER_S) * 1000)
  return {
    State: dead ? 'dead' : 'waiting',
    Attempts: attempts,
    NextAttempt: dead ? null : new Date(Date.parse(now) + backoff).toISOString(),
    LastAttempt: now,
    LastStatus: status,
    LastError: error,
  }
}

/** The longest Retry-After of a target that is honoured. */
const LONGEST_RETRY_AFTER_S = 86_400

/** Makes a webhook inactive. The audit line names its owner, with the transport `service`. */
export async function pauseWebhook({ store }: Service, workspace: Workspace, id: string, reason: string): Promise<void> {
  await store.write(workspace.number, async (writer) => {
    const hook = await getRecord(writer, Webhook, id)
    if (!hook?.Active) return
    const applied = { Active: false, PausedReason: reason, ...nextRevision(hook, writer.now()) }
    await writer.update(Webhook.name, id, applied)
    const change = changeTo(Webhook, 'updated', hook, { ...hook, ...applied })
    const by = { userId: hook.OwnerID, keyId: null, transport: 'service', operation: 'update_webhook', requestId: null, idempotencyKey: null }
    await writer.appendAuditLine(lineOf(change, by))
  })
}
