import { Attempt } from '../../contract/records/webhook.ts'
import type { Writer } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { findRecords, newRecord } from '../call/records.ts'
import type { Service } from '../service.ts'
import { masked } from './answer.ts'
import type { Delivered } from './send.ts'

/** How many attempts of a webhook are kept, and for how long. */
const KEPT = 100
const KEPT_MS = 30 * 86_400_000
const PAGE = 100

export interface Attempted {
  readonly eventId: string
  readonly event: { readonly Type: string; readonly RecordID: string }
  readonly at: Date
  readonly headers: Readonly<Record<string, string>>
  readonly result: Delivered
}

/** Adds to the delivery log of a webhook, which keeps the newest attempts. */
export async function logAttempts(writer: StoreWriter, webhookId: string, attempts: readonly Attempted[]): Promise<void> {
  if (attempts.length === 0) return
  for (const attempt of attempts.slice(-KEPT))
    await writer.create(Attempt.name, newRecord(Attempt, writer.newId(), { WebhookID: webhookId, ...lineOf(attempt) }))
  const surplus = (await writer.count(Attempt.name, [isOf('WebhookID', webhookId)])) - KEPT
  if (surplus > 0) await removeAttempts(writer, 'WebhookID', webhookId, surplus)
}

function lineOf({ eventId, event, at, headers, result: { ok, status, error, ms, answer } }: Attempted) {
  return {
    EventID: eventId,
    EventType: event.Type,
    RecordID: event.RecordID,
    SentDate: at.toISOString(),
    Delivered: ok,
    Status: status,
    Error: error,
    Milliseconds: Math.round(ms),
    RequestHeaders: masked(headers),
    AnswerHeaders: answer?.headers ?? null,
    AnswerBody: answer?.body ?? null,
  }
}

/** Removes the oldest attempts of a webhook, or all of a record, whose values an answer may repeat. */
export async function removeAttempts(
  writer: Pick<Writer, 'find' | 'delete'>,
  field: 'WebhookID' | 'RecordID',
  id: string,
  most = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  const order = { field: Attempt.createdField, descending: false }
  for (const { AttemptID } of await findRecords(writer, Attempt, { where: [isOf(field, id)], order, limit: most })) await writer.delete(Attempt.name, AttemptID)
}

const isOf = (field: string, value: string) => ({ field, family: 'text', operator: 'eq', value }) as const

/** Removes attempts that are older than the log goes back, which is never further than the changes. */
export async function removeOldAttempts({ store, retention, now }: Service, signal?: AbortSignal): Promise<void> {
  const before = new Date(now().getTime() - Math.min(KEPT_MS, retention.changesMs ?? KEPT_MS)).toISOString()
  const where = [{ field: Attempt.createdField, family: 'timestamp', operator: 'lt', value: before }] as const
  const order = { field: Attempt.createdField, descending: false }
  for (const workspace of await store.workspacesWith(Attempt.name))
    for (let full = true; full && !signal?.aborted; ) {
      const old = await findRecords(store.reader(workspace), Attempt, { where, order, limit: PAGE })
      if (old.length > 0)
        await store.write(workspace, async (writer) => {
          for (const { AttemptID } of old) await writer.delete(Attempt.name, AttemptID)
        })
      full = old.length === PAGE
    }
}
