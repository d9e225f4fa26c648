import type { StoredWebhook } from './round.ts'

/** The secrets that deliveries are signed with: the webhook's own and, for a day after a rotation, the one before. */
export function secretsOf({ Secret, OldSecret, OldSecretUntil }: StoredWebhook, at: Date): string[] {
  return OldSecret !== null && OldSecretUntil !== null && OldSecretUntil > at.toISOString() ? [Secret, OldSecret] : [Secret]
}
