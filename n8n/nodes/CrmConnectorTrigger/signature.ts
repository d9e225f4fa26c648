import { createHmac, timingSafeEqual } from 'node:crypto'

/** How many seconds old or early a delivery may be. */
const TOLERANCE = 300

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

export interface Delivery {
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  /** The body as it came: parsed and written out again it would have another signature. */
  readonly body: Uint8Array
}

/** Why a delivery is not to be believed whatever its body is; undefined where the body decides. */
export function faultOfHeaders(headers: Delivery['headers'], now = Date.now()): string | undefined {
  const [id, timestamp, signatures] = HEADERS.map((name) => headers[name])
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return 'The delivery is not signed.'
  return Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE ? undefined : 'The delivery is not of now.'
}

/** Why a delivery is not to be believed, by the Standard Webhooks scheme; undefined where it is signed with the secret, and is no old one. */
export function faultOf({ headers, body }: Delivery, secret: string, now = Date.now()): string | undefined {
  const fault = faultOfHeaders(headers, now)
  if (fault !== undefined) return fault
  const [id, timestamp, signatures] = HEADERS.map((name) => String(headers[name])) as [string, string, string]
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
