import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new key: 256 random bits after a prefix that scanners for leaked secrets can recognise. */
export function newKey(): string {
  return `crm_${randomBytes(32).toString('base64url')}`
}

/** What the store keeps of a key. Keys are random enough that an unsalted digest cannot be reversed. */
export function digestOf(key: string): string {
  return hash('sha256', key, 'base64url')
}

/** Compares in constant time. */
export function sameDigest(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
