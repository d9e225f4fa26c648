import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { problemIn, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const lead = async () => ({ LeadID: (await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })).LeadID })

describe('Confirm', () => {
  test('deletes: the call is refused with a plan, and done with its token', async () => {
    const input = await lead()
    const problem = await problemIn(await server.post('delete_lead', input, { confirm: 'deletes' }))
    expect(problem).toMatchObject({ code: 'conflict', plan: { Operation: 'delete_lead', RecordID: input.LeadID, Preview: { DryRun: true } } })
    const token = { confirm: 'deletes', 'confirmation-token': problem.plan?.Token ?? '' }
    expect(await (await server.post('delete_lead', input, token)).json()).toEqual({ ...input, Deleted: true })
    expect(await problemIn(await server.post('delete_lead', input, token))).toMatchObject({ detail: 'This plan was already executed.' })
  })

  test.each(['', 'delete', 'deletes, deletes', 'true'])('%j is refused, and nothing is carried out', async (confirm) => {
    const input = await lead()
    const { errors } = await problemIn(await server.post('delete_lead', input, { confirm }))
    expect(errors).toEqual([{ field: 'Confirm', code: 'form', message: 'The header Confirm is not acceptable.', expected: 'deletes, updates, person' }])
    expect(await server.call('get_leads', input)).toMatchObject(input)
  })

  test('says nothing about a read, nor about what takes nothing away', async () => {
    const input = await lead()
    expect((await server.post('get_leads', input, { confirm: 'deletes' })).status).toBe(200)
    expect((await server.post('update_lead', { ...input, FieldsToUpdate: { Phone: '1' } }, { confirm: 'deletes' })).status).toBe(200)
  })

  test('a token that fits nothing is refused, though nothing asks for one', async () => {
    for (const [operation, input] of [
      ['delete_lead', await lead()],
      ['create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' }],
    ] as const)
      expect(await problemIn(await server.post(operation, input, { 'confirmation-token': 'x' }))).toMatchObject({ code: 'not_found' })
  })

  test('holds for a batch as a whole, which is done with the token of its one plan', async () => {
    const Operations = [
      { Operation: 'delete_lead', Input: await lead() },
      { Operation: 'delete_lead', Input: await lead() },
    ]
    const send = (more: { readonly [header: string]: string } = {}) =>
      fetch(`${server.url}/v1/batch`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json', confirm: 'deletes', ...more },
        body: JSON.stringify({ Operations }),
      })
    const problem = await problemIn(await send())
    expect(problem).toMatchObject({ status: 409, code: 'conflict', plan: { Operation: 'batch', Preview: { Deletes: 2 } } })
    expect(await problemIn(await send({ 'confirmation-token': 'x' }))).toMatchObject({ code: 'not_found' })
    const { Results } = (await (await send({ 'confirmation-token': problem.plan?.Token ?? '' })).json()) as { Results: unknown[] }
    expect(Results).toMatchObject([{ Status: 200 }, { Status: 200 }])
  })
})

test('no token is in any log', async () => {
  const input = await lead()
  const { plan } = await problemIn(await server.post('delete_lead', input, { confirm: 'deletes' }))
  await server.post('delete_lead', input, { confirm: 'deletes', 'confirmation-token': `${plan?.Token}x` })
  expect(server.log()).not.toContain(String(plan?.Token).split('.')[1])
})
