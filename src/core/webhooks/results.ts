import { Delivery, Webhook } from '../../contract/records/webhook.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import type { StoreWriter, Workspace } from '../../platforms/store.ts'
import { newRecord, nextRevision } from '../call/records.ts'
import { happened, lineOf } from '../journal/changes.ts'
import type { Service } from '../service.ts'
import { pauseAfter } from './backoff.ts'
import type { Item, Plan } from './round.ts'
import type { Delivered } from './send.ts'

/** What a round has come to. */
export interface Round {
  readonly delivered: Item[]
  readonly failed: { readonly item: Item; readonly result: Delivered }[]
  /** Not tried, because an earlier one of the record failed or the target is down. */
  readonly untouched: Item[]
}

/** Writes down what a round has come to, all or nothing. Resolves to since when deliveries have failed; null while they succeed. */
export async function writeDown(service: Service, workspace: Workspace, hook: StoredRecord, plan: Plan, round: Round): Promise<string | null> {
  return service.store.write(workspace.number, async (writer) => {
    const id = hook.WebhookID as string
    const current = await writer.get(Webhook.name, id)
    if (!current) return null
    const gone = [...plan.lost, ...round.delivered.flatMap(({ delivery }) => (delivery ? [delivery] : []))]
    for (const { DeliveryID } of gone) await writer.delete(Delivery.name, DeliveryID as string)
    for (const { item, result } of round.failed) await put(writer, id, item, failedRow(service, item, result, writer.now()))
    for (const item of [...round.untouched, ...plan.held]) if (!item.delivery) await put(writer, id, item, { State: 'waiting', NextAttempt: writer.now() })
    const failingSince =
      round.delivered.length > 0
        ? null
        : round.failed.length > 0
          ? ((current.FailingSince as string | null) ?? writer.now())
          : (current.FailingSince as string | null)
    await writer.update(Webhook.name, id, { Position: Math.max(current.Position as number, plan.position), FailingSince: failingSince })
    return failingSince
  })
}

async function put(writer: StoreWriter, webhookId: string, { event, delivery }: Item, row: StoredRecord): Promise<void> {
  if (delivery) await writer.update(Delivery.name, delivery.DeliveryID as string, row)
  else {
    const { EventID, Type, RecordID } = event
    await writer.create(Delivery.name, newRecord(Delivery, writer.newId(), { WebhookID: webhookId, EventID, EventType: Type, RecordID, Attempts: 0, ...row }))
  }
}

function failedRow({ webhooks: sending }: Service, { delivery }: Item, { status, error, retryAfter }: Delivered, now: string): StoredRecord {
  const attempts = ((delivery?.Attempts as number | undefined) ?? 0) + 1
  const dead = attempts >= sending.attempts
  const pause = Math.max(pauseAfter(attempts, sending.backoffMs), Math.min(retryAfter ?? 0, LONGEST_ASKED_S) * 1000)
  return {
    State: dead ? 'dead' : 'waiting',
    Attempts: attempts,
    NextAttempt: dead ? null : new Date(Date.parse(now) + pause).toISOString(),
    LastAttempt: now,
    LastStatus: status,
    LastError: error,
  }
}

/** No target can make us wait longer than this. */
const LONGEST_ASKED_S = 86_400

/** Makes a webhook inactive, on the service's own account. It is a change like any other. */
export async function pauseWebhook({ store }: Service, workspace: Workspace, id: string, reason: string): Promise<void> {
  await store.write(workspace.number, async (writer) => {
    const hook = await writer.get(Webhook.name, id)
    if (hook?.Active !== true) return
    const applied = { Active: false, PausedReason: reason, ...nextRevision(hook, writer.now()) }
    await writer.update(Webhook.name, id, applied)
    const change = happened(Webhook, 'updated', hook, { ...hook, ...applied })
    const by = { userId: hook.OwnerID as string, keyId: null, transport: 'service', operation: 'update_webhook', requestId: null, idempotencyKey: null }
    await writer.appendAuditLine(lineOf(change, by))
  })
}
