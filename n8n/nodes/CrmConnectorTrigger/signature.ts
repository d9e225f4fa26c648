import { createHmac, timingSafeEqual } from 'node:crypto'

/** How many seconds old or early a delivery may be. */
const TOLERANCE = 300

export interface Delivery {
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  /** The body as it came: parsed and written out again it would have another signature. */
  readonly body: Uint8Array
}

/** Why a delivery is not to be believed, by the Standard Webhooks scheme; undefined where it is signed with the secret, and is no old one. */
export function faultOf({ headers, body }: Delivery, secret: string, now = Date.now()): string | undefined {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headers[name])
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return 'The delivery is not signed.'
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE)) return 'The delivery is not of now.'
  const right = createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest()
  const signed = signatures.split(' ').some((one) => {
    const [version, signature = ''] = one.split(',')
    const given = Buffer.from(signature, 'base64')
    return version === 'v1' && given.length === right.length && timingSafeEqual(given, right)
  })
  return signed ? undefined : 'No signature of the delivery is right.'
}
