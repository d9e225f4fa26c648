import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateEspoCrm } from 'crm-simulators/espocrm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import recorded from '../recordings/espocrm.json' with { type: 'json' }

interface Exchange {
  readonly as: string
  readonly note?: string
  readonly request: { readonly method: string; readonly path: string; readonly headers: { readonly [name: string]: string }; readonly body?: unknown }
  readonly response: { readonly status: number; readonly headers: { readonly [name: string]: string }; readonly body: unknown }
}

const exchanges = recorded as unknown as readonly Exchange[]

const ID = /^[0-9a-f]{17}$/
const TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/

/** What no two installations have in common, and the form it must have all the same. */
const FORMS: { readonly [path: string]: RegExp } = {
  '$.settings.cacheTimestamp': /^\d{10}$/,
  '$.settings.microtime': /^\d{10}(\.\d+)?$/,
  '$.settings.appTimestamp': /^\d{10}$/,
  '$.settings.siteUrl': /^http:\/\/127\.0\.0\.1:\d+$/,
}

describe('exchanges recorded with EspoCRM 8.4.2', () => {
  let simulator: Simulator
  const ids = new Map<string, string>()
  const keys: { [as: string]: string } = { admin: 'simulator', 'a wrong key': 'wrong' }

  beforeAll(async () => {
    simulator = await startSimulator(simulateEspoCrm)
  })
  afterAll(() => simulator.close())

  /** Puts the simulated ids for the recorded ones. */
  const here = (text: string) => text.replace(/[0-9a-f]{17}/g, (id) => ids.get(id) ?? id)

  /** Everything that differs, each with the path to it. Ids that come up for the first time are taken to be each other's. */
  function differences(expected: unknown, actual: unknown, path = '$'): string[] {
    const form = FORMS[path]
    if (form) return form.test(String(actual)) ? [] : [`${path}: ${actual}`]
    if (typeof expected === 'string' && typeof actual === 'string') {
      if (ID.test(expected) && ID.test(actual) && !ids.has(expected) && ![...ids.values()].includes(actual)) ids.set(expected, actual)
      if (expected === '<api key>') return /^[0-9a-f]{32}$/.test(actual) ? [] : [`${path}: ${actual}`]
      if (TIME.test(expected)) return TIME.test(actual) ? [] : [`${path}: ${actual}`]
      return here(expected) === actual ? [] : [`${path}: ${JSON.stringify(actual)} in the place of ${JSON.stringify(expected)}`]
    }
    if (
      typeof expected !== 'object' ||
      expected === null ||
      typeof actual !== 'object' ||
      actual === null ||
      Array.isArray(expected) !== Array.isArray(actual)
    ) {
      return expected === actual ? [] : [`${path}: ${JSON.stringify(actual)} in the place of ${JSON.stringify(expected)}`]
    }
    const [wanted, found] = [expected as { [name: string]: unknown }, actual as { [name: string]: unknown }]
    const names = Object.keys(wanted)
    return [
      ...Object.keys(found).flatMap((name) => (names.some((one) => here(one) === name) ? [] : [`${path}.${name} is too much`])),
      ...names.flatMap((name) => (here(name) in found ? differences(wanted[name], found[here(name)], `${path}.${name}`) : [`${path}.${name} is missing`])),
    ]
  }

  test.each(
    exchanges.map((exchange, index) => ({ index, name: `${exchange.request.method} ${exchange.request.path.slice(0, 90)} ${exchange.note ?? ''}`, exchange })),
  )('$index $name', async ({ exchange: { as, request, response } }) => {
    const key = keys[as]
    const answer = await fetch(new URL(here(request.path), simulator.url), {
      method: request.method,
      headers: {
        ...request.headers,
        ...(key !== undefined && { 'x-api-key': key }),
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(request.body !== undefined && { body: here(JSON.stringify(request.body)) }),
    })
    const text = await answer.text()
    const body = text === '' ? '' : (JSON.parse(text) as unknown)
    if (request.path === '/api/v1/User') {
      const { userName, apiKey } = Object(body) as { userName?: string; apiKey?: string }
      if (userName && apiKey) keys[userName === 'svc' ? 'api key, all records' : 'api key, own records'] = apiKey
    }
    expect({ status: answer.status, body: differences(response.body, body) }).toEqual({ status: response.status, body: [] })
    expect(answer.headers.get('content-type')).toBe(response.headers['content-type'])
    const reason = response.headers['x-status-reason']
    expect(answer.headers.get('x-status-reason')).toBe(reason === undefined ? null : here(reason))
    expect(answer.headers.has('x-app-timestamp')).toBe('x-app-timestamp' in response.headers)
  })
})
