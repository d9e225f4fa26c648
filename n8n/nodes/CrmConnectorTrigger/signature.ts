import { createHmac, timingSafeEqual } from 'node:crypto'

/** The most a timestamp may differ from now. */
const TOLERANCE_SECONDS = 300

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

export interface Delivery {
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  /** The raw body: parsed and serialised again it would have another signature. */
  readonly body: Uint8Array
}

/** Why the headers are not valid, before the body is read. */
export function headerFault(headers: Delivery['headers'], now = Date.now()): string | undefined {
  const [id, timestamp, signatures] = HEADERS.map((name) => headers[name])
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return 'The delivery is not signed.'
  return Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS ? undefined : 'The timestamp of the delivery is not within five minutes.'
}

/** Why a delivery is not valid by the Standard Webhooks scheme; undefined if it is recent and signed with the secret. */
export function signatureFault({ headers, body }: Delivery, secret: string, now = Date.now()): string | undefined {
  const fault = headerFault(headers, now)
  if (fault !== undefined) return fault
  const [id, timestamp, signatures] = HEADERS.map((name) => String(headers[name])) as [string, string, string]
  const expected = createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest()
  const signed = signatures.split(' ').some((one) => {
    const [version, signature = ''] = one.split(',')
    const given = Buffer.from(signature, 'base64')
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
  return signed ? undefined : 'The signature of the delivery is not valid.'
}
