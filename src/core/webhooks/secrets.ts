import type { StoredRecord } from '../../platforms/platform.ts'

/** What a webhook's deliveries are signed with: its secret and, for a while after it was changed, the one before. */
export function secretsOf(hook: StoredRecord, at: Date): string[] {
  const old = typeof hook.OldSecretUntil === 'string' && hook.OldSecretUntil > at.toISOString() ? hook.OldSecret : null
  return [hook.Secret, old].filter((secret): secret is string => typeof secret === 'string')
}
