import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { newSecret, signatureHeaders } from '../../../src/core/webhooks/signature.ts'

const body = JSON.stringify({ type: 'Lead.created', data: { LastName: 'Grüße 👋' } })

test('a secret is 256 random bits behind the prefix', () => {
  const secret = newSecret()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(newSecret()).not.toBe(secret)
})

test('the library of Standard Webhooks verifies what we sign, and nothing else', () => {
  const secret = newSecret()
  const headers = signatureHeaders('evt_1', new Date(), body, [secret])
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
  expect(() => new Webhook(secret).verify(body.replace('created', 'deleted'), headers)).toThrow()
  expect(() => new Webhook(secret).verify(body, { ...headers, 'webhook-id': 'evt_2' })).toThrow()
  expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow()
})

test('the headers are those the library makes', () => {
  const secret = newSecret()
  const at = new Date('2026-03-04T05:06:07.890Z')
  expect(signatureHeaders('evt_1', at, body, [secret])).toEqual({
    'webhook-id': 'evt_1',
    'webhook-timestamp': '1772600767',
    'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
  })
})

test('while a secret is rotated both verify', () => {
  const secrets = [newSecret(), newSecret()]
  const headers = signatureHeaders('evt_1', new Date(), body, secrets)
  expect(headers['webhook-signature']?.split(' ')).toHaveLength(2)
  for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
})
