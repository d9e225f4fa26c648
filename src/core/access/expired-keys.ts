import { Key } from '../../contract/records/key.ts'
import { findRecords, type RecordOf } from '../call/records.ts'
import type { Service } from '../service.ts'

const HOUR_MS = 3_600_000
/** How long an ended session or token stays in the list of keys. */
const KEPT_MS = 7 * 24 * HOUR_MS
const PAGE = 100

/** Removes sessions and tokens that ended a week ago, at most once an hour over all processes. The audit goes on naming them. */
export async function removeExpiredKeys(service: Service, signal?: AbortSignal): Promise<void> {
  const { store, now } = service
  const { granted } = await store.takeFromRateLimit('expired keys', 1, 1, HOUR_MS)
  if (!granted) return
  const before = new Date(now().getTime() - KEPT_MS).toISOString()
  for (const { number } of await store.workspaces()) await removeIn(service, number, before, signal)
}

async function removeIn({ store }: Service, workspace: number, before: string, signal: AbortSignal | undefined): Promise<void> {
  let after: { readonly value: string; readonly id: string } | undefined
  while (!signal?.aborted) {
    const page = await findRecords(store.reader(workspace), Key, {
      where: [
        { field: 'Kind', family: 'text', operator: 'in', value: ['session', 'token'] },
        { field: 'ExpiresDate', family: 'timestamp', operator: 'lt', value: before },
      ],
      order: { field: 'ExpiresDate', descending: false },
      limit: PAGE,
      ...(after && { after }),
    })
    const ended = page.filter((key) => hasEnded(key, before))
    if (ended.length > 0)
      await store.write(workspace, async (writer) => {
        for (const { KeyID } of ended) await writer.delete(Key.name, KeyID)
      })
    const last = page.at(-1)
    if (page.length < PAGE || !last) return
    after = { value: last.ExpiresDate as string, id: last.KeyID }
  }
}

/** Whether a key that has expired can be renewed no more. */
const hasEnded = ({ RenewableUntil, RevokedDate }: RecordOf<typeof Key>, before: string) =>
  RenewableUntil === null || RenewableUntil < before || (RevokedDate !== null && RevokedDate < before)
