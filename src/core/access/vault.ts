import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import { CrmError } from '../../contract/errors.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_ID_LENGTH = 12

const PREFIX = 'sealed:'
/** The form of a sealed value: the id of its key, then nonce, ciphertext and tag. */
const SEALED = /^sealed:1:([\da-f]{12}):([\w-]+)$/

/** Where a value is stored. It is authenticated with the value, so that a sealed text opens nowhere else. */
export interface Place {
  readonly workspace: number
  readonly type: string
  readonly id: string
  readonly field: string
}

/** Seals secrets before they are stored, and opens them. */
export interface Vault {
  /** The ids of the keys that open. */
  keyIds(): readonly string[]
  /** The id of the key that seals; undefined where there is none yet. */
  sealing(): string | undefined
  /** The same, once it is made where there is none; undefined where none is made, so that values stay as they are. */
  sealingKey(): string | undefined
  seal(text: string, place: Place): string
  /** A text that is not sealed, as earlier versions have stored it, is returned as it is. */
  open(text: string, place: Place): string
}

export const newSealingKey = (): Buffer => randomBytes(KEY_BYTES)

/** The beginning of the key's digest, which tells keys apart and nothing about them. */
export const keyIdOf = (key: Buffer): string => hash('sha256', key, 'hex').slice(0, KEY_ID_LENGTH)

/** The id of the key that a text is sealed with; undefined where it is plain. */
export function sealedWith(text: string): string | undefined {
  return text.startsWith(PREFIX) ? (SEALED.exec(text)?.[1] ?? 'unknown') : undefined
}

/** Where a vault gets further keys. */
export interface KeySource {
  /** Makes the first key, when the first value is sealed. Without it, and without a key, nothing is sealed. */
  make?(): Buffer
  /** The keys that are there by now, when a value is sealed with one that the vault does not have. */
  find(): readonly Buffer[]
}

const NO_SOURCE: KeySource = { make: newSealingKey, find: () => [] }

export function createVault(given: readonly Buffer[], source: KeySource = NO_SOURCE): Vault {
  const keys = new Map<string, Buffer>()
  const add = (more: readonly Buffer[]) => more.forEach((key) => void keys.set(keyIdOf(key), key))
  add(given)

  let sealing = given[0] && keyIdOf(given[0])

  function sealingKey(): string | undefined {
    const made = sealing === undefined ? source.make?.() : undefined
    if (made) {
      add([made])
      sealing = keyIdOf(made)
    }
    return sealing
  }

  return {
    keyIds: () => [...keys.keys()],
    sealing: () => sealing,
    sealingKey,

    seal(text, place) {
      const id = sealingKey()
      if (id === undefined) return text
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, keys.get(id) as Buffer, nonce, { authTagLength: TAG_BYTES }).setAAD(authenticated(place))
      const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return `sealed:1:${id}:${Buffer.concat(parts).toString('base64url')}`
    },

    open(text, place) {
      if (!text.startsWith(PREFIX)) return text
      const [, id, content] = SEALED.exec(text) ?? []
      if (id === undefined || content === undefined) throw altered(place)
      if (!keys.has(id)) add(source.find())
      const key = keys.get(id)
      if (!key) throw unknownKey(id, place)
      const bytes = Buffer.from(content, 'base64url')
      try {
        const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
          .setAAD(authenticated(place))
          .setAuthTag(bytes.subarray(-TAG_BYTES))
        return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        throw altered(place)
      }
    },
  }
}

const authenticated = ({ workspace, type, id, field }: Place) => Buffer.from(JSON.stringify([workspace, type, id, field]))

const nameOf = ({ type, id, field }: Place) => `${field} of ${type} ${id}`

const unknownKey = (keyId: string, place: Place) =>
  new CrmError('platform_unavailable', `${nameOf(place)} is sealed with the key ${keyId}, which this process does not have.`, {
    hint: 'Add that key to CRM_SECRET_KEYS, or put the file secret-key back beside the store, and restart. If the key is lost, the secret has to be replaced.',
  })

const altered = (place: Place) =>
  new CrmError('conflict', `${nameOf(place)} cannot be opened: the sealed text was altered, or moved here from another place.`, {
    hint: 'Replace the secret, and find out what has written to the store.',
  })
