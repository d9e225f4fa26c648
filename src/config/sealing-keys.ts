const KEY_BYTES = 32

/** What a key looks like, for messages. */
export const KEY_FORM = '32 bytes in base64 or hex, as openssl rand -base64 32 prints them'

/** Reads keys that are separated by commas, blanks or line ends; undefined where one of them has another form. */
export function readSealingKeys(text: string): readonly Buffer[] | undefined {
  const keys = text
    .split(/[\s,]+/)
    .filter((word) => word !== '')
    .map(readKey)
  return keys.every((key) => key !== undefined) ? keys : undefined
}

function readKey(word: string): Buffer | undefined {
  if (/^[\da-f]{64}$/i.test(word)) return Buffer.from(word, 'hex')
  if (!/^[\w+/-]{43}=?$/.test(word)) return undefined
  const key = Buffer.from(word, 'base64')
  return key.length === KEY_BYTES ? key : undefined
}
