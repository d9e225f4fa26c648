import { CrmError } from 'crm-connector'
import { verifyWebhook } from 'crm-connector/webhooks'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import type { Event } from '../../src/contract/records/event.ts'
import { newSecret, signatureHeaders } from '../../src/core/webhooks/signature.ts'
import { delivering } from '../support/courier.ts'
import { startTarget } from '../support/webhook-target.ts'

const event = { EventID: '000000000042', Type: 'lead.created', RecordType: 'Lead', RecordID: 'x', Record: { LastName: 'Łovelace €' } }
const body = JSON.stringify(event)
const secret = newSecret()
const now = () => new Date()

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable('It was accepted.'),
    (error: unknown) => error as CrmError,
  )

describe('a delivery', () => {
  test.each<[string, string | Uint8Array | ArrayBuffer]>([
    ['a text', body],
    ['bytes', new TextEncoder().encode(body)],
    ['a Buffer', Buffer.from(body)],
    ['a part of a larger buffer', Buffer.from(`xx${body}xx`).subarray(2, -2)],
    ['an ArrayBuffer', new TextEncoder().encode(body).buffer],
  ])('is accepted with its body as %s', async (_, given) => {
    expect(await verifyWebhook({ secret, headers: signatureHeaders('1', now(), body, [secret]), body: given })).toEqual(event)
  })

  test.each(['Headers', 'entries of any case', 'lists'])('is accepted with its headers as %s', async (form) => {
    const signed = Object.entries(signatureHeaders('1', now(), body, [secret]))
    const headers =
      form === 'Headers'
        ? new Headers(signed)
        : Object.fromEntries(signed.map(([name, value]): [string, string | string[]] => (form === 'lists' ? [name, [value]] : [name.toUpperCase(), value])))
    expect(await verifyWebhook({ secret, headers, body })).toEqual(event)
  })

  test('that the official library has signed is accepted, and one that we accept it accepts', async () => {
    const at = now()
    const official = new Webhook(secret)
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': official.sign('msg_1', at, body),
    }
    expect(await verifyWebhook({ secret, headers, body })).toEqual(event)
    expect(official.verify(body, signatureHeaders('1', at, body, [secret]))).toEqual(event)
  })

  test('is accepted with the secret before and the one after while they are exchanged', async () => {
    const after = newSecret()
    const both = signatureHeaders('1', now(), body, [after, secret])
    for (const known of [secret, after, [secret, after], [newSecret(), after]])
      expect(await verifyWebhook({ secret: known, headers: both, body })).toEqual(event)
    expect(await verifyWebhook({ secret: [after, secret], headers: signatureHeaders('1', now(), body, [secret]), body })).toEqual(event)
    expect((await refusal(verifyWebhook({ secret: [newSecret(), newSecret()], headers: both, body }))).code).toBe('unauthenticated')
  })

  test('is accepted with a secret without its prefix', async () => {
    expect(await verifyWebhook({ secret: secret.slice(6), headers: signatureHeaders('1', now(), body, [secret]), body })).toEqual(event)
  })

  test('is refused when anything of it was altered', async () => {
    const headers = signatureHeaders('1', now(), body, [secret])
    const signature = headers['webhook-signature'] ?? ''
    const altered: Parameters<typeof verifyWebhook>[0][] = [
      { secret, headers, body: `${body} ` },
      { secret, headers: { ...headers, 'webhook-id': '2' }, body },
      { secret, headers: { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }, body },
      { secret: newSecret(), headers, body },
      { secret, headers: { ...headers, 'webhook-signature': signature.replace('v1,', 'v2,') }, body },
      { secret, headers: { ...headers, 'webhook-signature': signature.replace('v1,', 'v1') }, body },
      { secret, headers: { ...headers, 'webhook-signature': 'v1,' }, body },
      { secret, headers: { ...headers, 'webhook-signature': `v1,${signature.slice(3, -4)}` }, body },
      { secret, headers: { ...headers, 'webhook-signature': 'v1,%%% v1' }, body },
      { secret, headers, body: event as never },
    ]
    for (const delivery of altered) {
      const error = await refusal(verifyWebhook(delivery))
      expect(error).toBeInstanceOf(CrmError)
      expect(error).toMatchObject({ code: 'unauthenticated', message: 'No signature of the delivery is right.' })
    }
  })

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('is refused without %s', async (name) => {
    const { [name]: _, ...headers } = signatureHeaders('1', now(), body, [secret])
    expect(await refusal(verifyWebhook({ secret, headers, body }))).toMatchObject({ code: 'unauthenticated', message: `The delivery has no header ${name}.` })
  })

  test('that is signed and is no JSON is refused', async () => {
    const error = await refusal(verifyWebhook({ secret, headers: signatureHeaders('1', now(), 'ping', [secret]), body: 'ping' }))
    expect(error).toBeInstanceOf(CrmError)
    expect(error).toMatchObject({ code: 'invalid_input', message: 'The delivery is signed, but its body is no JSON.' })
  })

  test('is refused when it is too old or too early, or says no time', async () => {
    const signed = (seconds: number) => ({ secret, headers: signatureHeaders('1', new Date(Date.now() + seconds * 1000), body, [secret]), body })
    for (const seconds of [-290, 290]) expect(await verifyWebhook(signed(seconds))).toEqual(event)
    for (const seconds of [-310, 310]) {
      expect((await refusal(verifyWebhook(signed(seconds)))).code).toBe('unauthenticated')
      expect(await verifyWebhook({ ...signed(seconds), tolerance: 400 })).toEqual(event)
      expect((await refusal(verifyWebhook({ ...signed(seconds), tolerance: Number.NaN }))).code).toBe('unauthenticated')
    }
    expect((await refusal(verifyWebhook({ ...signed(0), headers: { ...signed(0).headers, 'webhook-timestamp': 'soon' } }))).code).toBe('unauthenticated')
  })

  test.each([undefined, '', 'whsec_', 'whsec_%%%', 'not base64!'])('with the secret %j is refused as a mistake of whoever verifies', async (wrong) => {
    const headers = signatureHeaders('1', now(), body, [secret])
    expect(await refusal(verifyWebhook({ secret: wrong as string, headers, body }))).toMatchObject({ code: 'invalid_input' })
  })
})

test('what the service delivers is accepted, before, during and after an exchange of secrets', async () => {
  const { crm, start } = await delivering()
  start()
  const target = await startTarget()
  const { WebhookID, Secret } = await crm.webhooks.create({ URL: target.url, EventTypes: ['lead.*'] })
  await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
  const { Secret: next } = await crm.webhooks.rotateSecret({ WebhookID })
  await crm.leads.create({ FirstName: 'Grace', LastName: 'Hopper' })
  expect(await crm.webhooks.test({ WebhookID })).toMatchObject({ Delivered: true })
  await expect.poll(() => target.received.length).toBe(3)
  for (const { headers, body, event } of target.received) expect(await verifyWebhook({ secret: [Secret, next], headers, body })).toEqual(event)
  const [first, ...later] = target.received.toSorted((a, b) => order(a.event) - order(b.event))
  if (!first) throw new Error('Nothing was received.')
  expect(await verifyWebhook({ secret: Secret, ...first })).toMatchObject({ Type: 'lead.created', Record: { FirstName: 'Ada' } })
  for (const delivery of later) for (const secret of [Secret, next]) expect((await verifyWebhook({ secret, ...delivery })).EventID).toBe(delivery.event.EventID)
})

const order = ({ EventID }: Event) => (EventID.includes('test') ? Number.POSITIVE_INFINITY : Number(EventID))
