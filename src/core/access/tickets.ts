import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Store } from '../../platforms/store.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** How far the clocks of two processes may differ. */
const SKEW_MS = 60_000

/** What a ticket is for. One for another purpose is not accepted. */
export type Purpose =
  | 'sign-in link'
  | 'connect link'
  | 'connect state'
  | 'oidc state'
  | 'oauth request'
  | 'oauth code'
  | 'oauth client'
  | 'oauth refresh'
  | 'question'

/**
 * What one request leaves for a later one, while the browser is at another site: the state of an authorization, a code, a link. A ticket is
 * encrypted with a key that all processes of the store have, so that nothing has to be stored until it is used; it expires, and can be redeemed once.
 */
export interface Tickets {
  issue(purpose: Purpose, content: object, ms: number): string
  /** The content of a ticket that is still valid, redeemed or not; undefined for any other text. */
  read<T extends object>(purpose: Purpose, ticket: string): T | undefined
  /** The same, of one that has not been redeemed. */
  unredeemed<T extends object>(purpose: Purpose, ticket: string): Promise<T | undefined>
  /** The same, once: of several attempts with one ticket, in whatever processes, the first alone succeeds. */
  redeem<T extends object>(purpose: Purpose, ticket: string): Promise<T | undefined>
}

interface Sealed {
  readonly id: string
  readonly until: number
  readonly content: object
}

export function createTickets(store: Pick<Store, 'secret' | 'takeFromRateLimit'>, now: () => number = Date.now): Tickets {
  const key = Buffer.from(hkdfSync('sha256', store.secret, '', 'tickets', 32))

  function opened(purpose: Purpose, ticket: string): Sealed | undefined {
    const bytes = Buffer.from(ticket, 'base64url')
    if (bytes.length <= NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== ticket) return undefined
    try {
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      const sealed = JSON.parse(decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')) as Sealed
      return sealed.until > now() ? sealed : undefined
    } catch {
      return undefined
    }
  }

  const take = ({ id, until }: Sealed, uses: 0 | 1) => store.takeFromRateLimit(`ticket:${id}`, uses, 1, until - now() + SKEW_MS)

  return {
    issue(purpose, content, ms) {
      const nonce = randomBytes(NONCE_BYTES)
      const sealed: Sealed = { id: randomBytes(16).toString('base64url'), until: now() + ms, content }
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(purpose))
      return Buffer.concat([nonce, cipher.update(JSON.stringify(sealed), 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')
    },

    read: <T extends object>(purpose: Purpose, ticket: string) => opened(purpose, ticket)?.content as T | undefined,

    async unredeemed<T extends object>(purpose: Purpose, ticket: string) {
      const sealed = opened(purpose, ticket)
      return sealed && (await take(sealed, 0)).used === 0 ? (sealed.content as T) : undefined
    },

    async redeem<T extends object>(purpose: Purpose, ticket: string) {
      const sealed = opened(purpose, ticket)
      return sealed && (await take(sealed, 1)).granted ? (sealed.content as T) : undefined
    },
  }
}
