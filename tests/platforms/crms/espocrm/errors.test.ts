import { describe, expect, test } from 'vitest'
import type { CrmRequest } from '../../../../src/platforms/crms/engine/connection.ts'
import { refusalOf } from '../../../../src/platforms/crms/espocrm/errors.ts'
import { espoTables } from '../../../../src/platforms/crms/espocrm/tables.ts'
import recorded from '../../../recordings/espocrm.json' with { type: 'json' }

const tables = Object.values(espoTables({}))
const tableOf = (object: string) => tables.find((table) => table.object === object)

interface Exchange {
  readonly request: { readonly method: string; readonly path: string }
  readonly response: { readonly status: number; readonly headers: { readonly [name: string]: string }; readonly body: unknown }
}

const refusals = (recorded as unknown as readonly Exchange[]).filter(({ response }) => response.status >= 400)

function meaning({ request, response }: Exchange) {
  const text = response.body === '' ? '' : JSON.stringify(response.body)
  const { method, path } = request
  return refusalOf({ status: response.status, headers: response.headers, text }, { method: method as CrmRequest['method'], path }, '/api/v1', tableOf)
}

describe('refusals recorded with EspoCRM 8.4.2', () => {
  test('each means something, and none that it should be tried again', () => {
    expect(refusals.length).toBeGreaterThan(20)
    const codes = refusals.map((exchange) => [exchange.response.status, meaning(exchange).code])
    const expected: { readonly [status: number]: string } = {
      400: 'platform_rejected',
      401: 'unauthenticated',
      403: 'forbidden',
      404: 'not_found',
      409: 'conflict',
    }
    for (const [status, code] of codes) expect(code).toBe(expected[status as number])
    for (const exchange of refusals) expect([meaning(exchange).retryable, meaning(exchange).unknown]).toEqual([false, undefined])
  })

  test('a value that is refused is told by our name of its field', () => {
    const faults = refusals.flatMap((exchange) => meaning(exchange).errors ?? []).map(({ field, code }) => `${field} ${code}`)
    expect(faults).toEqual(
      expect.arrayContaining(['Status value', 'Email form', 'Phone value', 'LastName length', 'Amount required', 'Stage value', 'CloseDate value']),
    )
  })

  test('duplicates are named by their ids', () => {
    const duplicate = refusals.find(({ response }) => response.headers['x-status-reason'] === 'duplicate')
    expect(duplicate && meaning(duplicate)).toMatchObject({ code: 'conflict', errors: [{ field: 'LeadID', code: 'conflict' }] })
  })

  test('what a role lacks is named', () => {
    const hints = refusals.filter(({ response }) => response.status === 403).map((exchange) => meaning(exchange).hint)
    expect(hints).toContain('In the role of the API user (Administration, Roles), set read of Account to all.')
  })
})

describe('what was not recorded', () => {
  const request = (method: CrmRequest['method'], path: string): CrmRequest => ({ method, path: `/api/v1/${path}` })
  const said = (status: number, headers: { readonly [name: string]: string } = {}) => ({ status, headers, text: '' })
  const refusal = (status: number, asked: CrmRequest, headers?: { readonly [name: string]: string }) =>
    refusalOf(said(status, headers), asked, '/api/v1', tableOf)

  test('a failure while reading may be tried again, one while writing leaves open whether it was written', () => {
    expect(refusal(500, request('GET', 'Lead/1'))).toMatchObject({ code: 'platform_unavailable', retryable: true })
    expect(refusal(502, request('POST', 'Lead'))).toMatchObject({ code: 'outcome_unknown', unknown: 'ended', retryable: false })
  })

  test('maintenance means that nothing happened', () => {
    const asked = request('POST', 'Lead')
    expect(refusal(503, asked, { 'x-status-reason': 'Application is in maintenance mode.' })).toMatchObject({ code: 'platform_unavailable', retryable: true })
  })

  test('too many requests are tried again when it is time', () => {
    expect(refusal(429, request('POST', 'Lead'), { 'retry-after': '7' })).toMatchObject({ code: 'rate_limited', retryable: true, retryAfterMs: 7000 })
  })

  test('whoever may not make objects is told who may', () => {
    const error = refusal(403, request('POST', 'EntityManager/action/createEntity'))
    expect(error).toMatchObject({ code: 'forbidden', hint: expect.stringContaining('username and password of an administrator') })
    const refused = refusal(500, request('POST', 'Admin/fieldManager/CBoat'), { 'x-status-reason': 'Field name should start with a letter.' })
    expect(refused).toMatchObject({ code: 'platform_rejected' })
  })

  test('an owner who is nobody there is told as such', () => {
    const reason = 'Field validation failure; entityType: Lead, field: assignedUser, type: pattern.'
    expect(refusal(400, request('POST', 'Lead'), { 'x-status-reason': reason })).toMatchObject({
      code: 'platform_rejected',
      message: expect.stringContaining("not the id of one of EspoCRM's users"),
      errors: [{ field: 'OwnerID', code: 'value' }],
    })
  })

  test('a time to wait may be a moment', () => {
    const { retryAfterMs = 0 } = refusal(429, request('GET', 'Lead'), { 'retry-after': new Date(Date.now() + 60_000).toUTCString() })
    expect(retryAfterMs).toBeGreaterThan(50_000)
  })

  test('whoever may not give records away is told so', () => {
    const reason = 'Assignment failure: assigned user or team not allowed.'
    expect(refusal(403, request('PUT', 'Lead/1'), { 'x-status-reason': reason })).toMatchObject({ code: 'forbidden', errors: [{ field: 'OwnerID' }] })
  })
})
