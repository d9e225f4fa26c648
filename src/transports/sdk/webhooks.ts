import { CrmError } from '../../contract/errors.ts'
import type { KnownEvent, TestEvent } from '../../contract/records/event.ts'

export interface WebhookDelivery {
  /** The secret that `webhooks.create` showed; several during a rotation. */
  readonly secret: string | readonly string[]
  /** The headers of the request, as the server has them. */
  readonly headers: Headers | { readonly [name: string]: string | readonly string[] | undefined }
  /** The raw body: parsed and serialised again it would have another signature. */
  readonly body: string | Uint8Array | ArrayBuffer
  /** How many seconds old or early it may be; 300 unless given. */
  readonly tolerance?: number
}

const TOLERANCE = 300

/** The event of a delivery. Throws unless its signature is valid and its timestamp recent, which rules out forged and replayed deliveries. */
export async function verifyWebhook({ secret, headers, body, tolerance = TOLERANCE }: WebhookDelivery): Promise<KnownEvent | TestEvent> {
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature').split(' ')
  const signed = await new Blob([`${headerOf(headers, 'webhook-id')}.${timestamp}.`, body as BlobPart]).arrayBuffer()
  const keys = await Promise.all([secret].flat().map(keyOf))
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= tolerance))
    throw refused(`The delivery is of ${timestamp}, which is not now.`, 'Are both clocks right?')
  // crypto.subtle.verify compares in constant time.
  for (const key of keys)
    for (const [version, signature] of signatures.map((one) => one.split(',')))
      if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, fromBase64(signature), signed)))
        return eventIn(await new Blob([body as BlobPart]).text())
  throw refused('No signature of the delivery is right.', 'Is this the secret of the webhook, and the body as it came?')
}

function eventIn(text: string): KnownEvent | TestEvent {
  try {
    return JSON.parse(text) as KnownEvent | TestEvent
  } catch (cause) {
    throw new CrmError('invalid_input', 'The delivery is signed, but its body is no JSON.', { hint: 'Does something else sign with this secret?', cause })
  }
}

const refused = (message: string, hint: string) => new CrmError('unauthenticated', message, { hint })

function headerOf(headers: WebhookDelivery['headers'], name: string): string {
  const found = typeof headers.get === 'function' ? (headers as Headers).get(name) : Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1]
  if (found) return String(found)
  throw refused(`The delivery has no header ${name}.`, 'Is it a webhook of this service?')
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(String(secret).replace(/^whsec_/, ''))
  if (bytes.length === 0) throw new CrmError('invalid_input', 'The secret of a webhook looks like whsec_ with base64 behind it.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** Empty where it is not base64. */
function fromBase64(text = ''): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

export { CrmError, type KnownEvent as Event, type TestEvent }
