import { hash, randomFillSync } from 'node:crypto'
import type { AuditLine } from '../../store.ts'

/** Where a chain begins. */
export const START = { number: 0, seal: '' }

export interface Link {
  readonly number: number
  readonly seal: string
}

/** The words of a line that its seal covers. */
export type Sealable = Omit<AuditLine, 'before' | 'after' | 'owner' | 'moved'>

/**
 * The seal of the line that follows another. It covers every word of the line and, of the images, their digests: an image can
 * be erased, and the chain still shows that nothing else was touched. Whose record it is may change, and is left out.
 */
export function sealOf(before: Link, line: Sealable, changeId: string, at: string, beforeDigest: string | null, afterDigest: string | null): string {
  const words = [
    before.seal,
    before.number + 1,
    changeId,
    at,
    line.userId,
    line.keyId,
    line.transport,
    line.operation,
    line.recordType,
    line.recordId,
    line.requestId,
    line.outcome,
    line.eventType,
    line.idempotencyKey,
    beforeDigest,
    afterDigest,
  ]
  return hash('sha256', JSON.stringify(words), 'base64url')
}

/** A line that is kept, and has no place in the chain yet. */
export type Unsealed = Sealable & { readonly changeId: string; readonly at: string; readonly beforeDigest: string | null; readonly afterDigest: string | null }

/** The place of a line that follows another. */
export function linkAfter(before: Link, line: Unsealed): Link {
  return { number: before.number + 1, seal: sealOf(before, line, line.changeId, line.at, line.beforeDigest, line.afterDigest) }
}

/** The digest of an image. Without the salt, which is erased with it, nobody can find out what it was by trying. */
export function imageDigest(salt: string | null, image: string | null): string | null {
  return image === null ? null : hash('sha256', `${salt}${image}`, 'base64url')
}

const SALT_BYTES = 12
const pool = Buffer.alloc(SALT_BYTES * 512)
let used = pool.length

export function newSalt(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += SALT_BYTES
  return pool.toString('base64url', used - SALT_BYTES, used)
}
