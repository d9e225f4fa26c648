import { Webhook } from '../../contract/records/webhook.ts'
import type { Workspace } from '../../platforms/store.ts'
import { openField } from '../access/sealed-records.ts'
import type { Service } from '../service.ts'
import type { StoredWebhook } from './round.ts'

/** The secrets that deliveries are signed with: the webhook's own and, for a day after a rotation, the one before. */
export function secretsOf({ vault }: Service, { number }: Workspace, hook: StoredWebhook, at: Date): string[] {
  const { OldSecret, OldSecretUntil } = hook
  const overlaps = OldSecret !== null && OldSecretUntil !== null && OldSecretUntil > at.toISOString()
  return (overlaps ? (['Secret', 'OldSecret'] as const) : (['Secret'] as const)).map((field) => openField(vault, number, Webhook, hook, field))
}
