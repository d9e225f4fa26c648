import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { sendRaw } from '../support/raw.ts'
import { problemIn, serverForTest } from '../support/server.ts'

const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find((each) => each && !each.internal && each.family === 'IPv4')?.address

describe('/healthz and /readyz', () => {
  test('answer without a key', async () => {
    const { url } = await serverForTest()
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' })
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ready' })
  })

  test('name a CRM that does not answer: others are served', async () => {
    const silent = { name: 'hubspot', ping: () => Promise.reject(new Error('gone')) }
    const { url } = await serverForTest({
      wrap: (service) => ({ ...service, platform: { ...service.platform, ...silent } }),
    })
    const ready = await fetch(`${url}/readyz`)
    expect(ready.status).toBe(200)
    expect(await ready.json()).toEqual({ status: 'ready', unavailable: ['hubspot'] })
  })

  test('differ when the store does not answer', async () => {
    const { url } = await serverForTest({
      wrap: (service) => ({ ...service, store: Object.create(service.store, { ping: { value: () => Promise.reject(new Error('gone')) } }) }),
    })
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    const problem = await problemIn(await fetch(`${url}/readyz`))
    expect(problem).toMatchObject({ code: 'platform_unavailable', status: 503 })
    expect(JSON.stringify(problem)).not.toContain('gone')
  })
})

describe('/metrics', () => {
  test('counts calls by operation and outcome, under names of the contract only', async () => {
    const { url, post } = await serverForTest()
    await post('Create A Lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    await post('create-a-lead', {})
    await post('made_up_one', {})
    await post('made_up_two', {})
    const response = await fetch(`${url}/metrics`)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await response.text()
    expect(text).toContain('crm_calls_total{operation="create_a_lead",code="ok"} 1')
    expect(text).toContain('crm_calls_total{operation="create_a_lead",code="invalid_input"} 1')
    expect(text).toContain('crm_calls_total{operation="unknown",code="not_found"} 2')
    expect(text).toContain('crm_call_seconds_bucket{operation="create_a_lead",le="+Inf"} 2')
    expect(text).toContain('crm_call_seconds_count{operation="create_a_lead"} 2')
    expect(text).toContain('process_cpu_user_seconds_total')
    expect(text).not.toContain('made_up')
  })

  test('is written as Prometheus reads it', async () => {
    const { url, post } = await serverForTest()
    await post('get_current_user')
    for (const line of (await (await fetch(`${url}/metrics`)).text()).split('\n')) {
      expect(line).toMatch(/^$|^# (HELP|TYPE) [a-z_0-9]+ .+$|^[a-z_0-9]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? ([-+.\deE]+|Nan)$/)
    }
  })

  test.each(['x-forwarded-for', 'forwarded', 'x-real-ip'])('wants a key of what a proxy passed on: %s', async (name) => {
    for (const trustProxy of [false, true]) {
      const { url, key } = await serverForTest({ trustProxy })
      expect((await problemIn(await fetch(`${url}/metrics`, { headers: { [name]: '127.0.0.1' } }))).code).toBe('unauthenticated')
      expect((await fetch(`${url}/metrics`, { headers: { [name]: '127.0.0.1', authorization: `Bearer ${key}` } })).status).toBe(200)
    }
  })

  test('wants a key under a host name that is not configured, as after DNS rebinding', async () => {
    const asking = async (host: string, corsOrigin?: string) => {
      const { url } = await serverForTest({ corsOrigin })
      return (await sendRaw(Number(new URL(url).port), `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).status
    }
    for (const host of ['evil.example', 'evil.example:8484', 'localhost.evil.example', 'crm.example.evil', '']) expect(await asking(host), host).toBe(401)
    for (const host of ['localhost:8484', '127.0.0.1', '[::1]:8484']) expect(await asking(host), host).toBe(200)
    expect(await asking('crm.example:8484', 'https://other.example, https://crm.example')).toBe(200)
    expect(await asking('evil.example', 'https://crm.example')).toBe(401)
  })

  test('wants the key of an admin, with the scope admin', async () => {
    const { url, call } = await serverForTest()
    const ask = (key: unknown) => fetch(`${url}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.1', authorization: `Bearer ${String(key)}` } })
    const user = await call('create_user', { Name: 'Member', Role: 'member' })
    const { Key: reader } = await call('create_key', { Scopes: ['read'] })
    const { Key: member } = await call('create_key', { UserID: user.UserID, Scopes: ['read', 'write'] })
    const { Key: admin } = await call('create_key', { Scopes: ['admin'] })
    expect((await problemIn(await ask(reader))).code).toBe('forbidden')
    expect((await problemIn(await ask(member))).code).toBe('forbidden')
    expect((await problemIn(await ask('wrong'))).code).toBe('unauthenticated')
    expect((await ask(admin)).status).toBe(200)
  })

  test.runIf(elsewhere)('wants a key from another address of this machine', async () => {
    const { url, key } = await serverForTest({ host: elsewhere ?? '' })
    expect((await problemIn(await fetch(`${url}/metrics`))).code).toBe('unauthenticated')
    expect((await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200)
  })
})
