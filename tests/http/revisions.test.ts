import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { problemIn, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let lead: { LeadID: string }
beforeAll(async () => {
  server = await startServer()
  const { LeadID } = (await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })) as { LeadID: string }
  lead = { LeadID }
})
afterAll(() => server.close())

let updates = 0
/** Each update changes something, since one that does not is no change. */
const update = (match: string, more: object = {}) =>
  server.post('update_lead', { ...lead, FieldsToUpdate: { Phone: `+44 ${++updates}` }, ...more }, { 'if-match': match })
const etag = async () => (await server.post('get_leads', lead)).headers.get('etag') ?? ''

describe('ETag', () => {
  test('is the Revision of the record, wherever an answer is one', async () => {
    const created = await server.post('create_case', { Subject: 'Card', Description: 'Jammed' })
    expect(created.headers.get('etag')).toBe('"1"')
    const { CaseID } = (await created.json()) as { CaseID: string }
    const updated = await server.post('update_case', { CaseID, FieldsToUpdate: { Status: 'Closed' } })
    expect(updated.headers.get('etag')).toBe('"2"')
    expect((await server.post('get_case', { CaseID })).headers.get('etag')).toBe('"2"')
    for (const [operation, input] of [
      ['get_many_cases', {}],
      ['case_get_summary', {}],
      ['add_comment', { CaseID, Comment: 'x' }],
      ['case_delete', { CaseID }],
    ] as const)
      expect((await server.post(operation, input)).headers.get('etag')).toBeNull()
  })
})

describe('If-Match', () => {
  test('with the ETag of the record lets a write through, once', async () => {
    const match = await etag()
    const response = await update(match)
    expect(response.status).toBe(200)
    expect(response.headers.get('etag')).not.toBe(match)
    expect(await problemIn(await update(match))).toMatchObject({
      code: 'conflict',
      status: 409,
      errors: [{ field: 'IfRevision', code: 'conflict', expected: (await etag()).replaceAll('"', '') }],
    })
  })

  test('of a record that has changed refuses a delete, and the record stays', async () => {
    expect((await problemIn(await server.post('delete_lead', lead, { 'if-match': '"99"' }))).code).toBe('conflict')
    expect((await server.post('get_leads', lead)).status).toBe(200)
  })

  test('* lets any revision through, but not a record that is gone', async () => {
    expect((await update('*')).status).toBe(200)
    expect((await problemIn(await server.post('delete_lead', { LeadID: 'nobody' }, { 'if-match': '*' }))).code).toBe('not_found')
  })

  test.each(['3', 'W/"3"', '"3', '""', '"three"', '"3", "4"', '"-1"', '"1.5"', `"${'9'.repeat(16)}"`, ''])('%s is refused as malformed', async (match) => {
    const before = await etag()
    expect(await problemIn(await update(match))).toMatchObject({
      code: 'invalid_input',
      errors: [{ field: 'If-Match', code: 'form', expected: 'the ETag of an earlier answer, such as "3", or *' }],
    })
    expect(await etag()).toBe(before)
  })

  test('agrees with IfRevision in the input, or the call is refused', async () => {
    const match = await etag()
    const revision = Number(match.replaceAll('"', ''))
    for (const IfRevision of [revision + 1, String(revision), null])
      expect(await problemIn(await update(match, { IfRevision }))).toMatchObject({ code: 'invalid_input', hint: 'Send one of them.' })
    expect((await update(match, { IfRevision: revision })).status).toBe(200)
    expect((await problemIn(await update('*', { IfRevision: revision }))).code).toBe('conflict')
  })

  test.each([
    ['create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' }],
    ['add_notes_to_leads', { Note: 'x' }],
    ['get_leads', {}],
  ])('is refused where there is nothing to compare it with: %s', async (operation, more) => {
    const input = operation === 'create_a_lead' ? more : { ...lead, ...more }
    expect(await problemIn(await server.post(operation, input, { 'if-match': '"1"' }))).toMatchObject({
      code: 'invalid_input',
      detail: expect.stringMatching(/^If-Match does not apply to /),
    })
  })
})
