import { describe, expect, onTestFinished, test } from 'vitest'
import { watchWorkspace } from '../../../src/core/watch/watch.ts'
import { ALL_CRMS } from '../../support/crms/all.ts'
import { ESPOCRM } from '../../support/crms/espocrm.ts'
import { overCrm } from '../../support/crms.ts'
import { otherClient } from '../../support/other-client.ts'

type Json = { readonly [member: string]: unknown }

/** Asks a simulated CRM itself. */
async function ask(url: string, method: string, path: string, body?: unknown, token = 'simulator'): Promise<Json> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'x-api-key': 'simulator' }
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
  expect(answer.ok, `${path} ${answer.status}`).toBe(true)
  return answer.status === 204 ? {} : ((await answer.json()) as Json)
}

/** Edits a lead as a person does in the CRM's own pages. Resolves to the CRM's id of that person. */
const EDITS: { readonly [crm: string]: (url: string, id: string) => Promise<string> } = {
  async salesforce(url, id) {
    await ask(url, 'PATCH', `/services/data/v62.0/sobjects/Lead/${id}`, { LastName: 'King' })
    return String((await ask(url, 'GET', `/services/data/v62.0/sobjects/Lead/${id}`)).LastModifiedById)
  },
  async hubspot(url, id) {
    const { results } = (await ask(url, 'GET', '/crm/v3/owners')) as { results: { id: string; email: string }[] }
    const [owner] = results
    const { accessToken } = await ask(url, 'POST', '/simulator/people/sign-in', { email: owner?.email })
    await ask(url, 'PATCH', `/crm/v3/objects/contacts/${id}`, { properties: { lastname: 'King' } }, String(accessToken))
    return String(owner?.id)
  },
  async espocrm(url, id) {
    return String((await ask(url, 'PUT', `/api/v1/Lead/${id}`, { lastName: 'King' })).modifiedById)
  },
}

test('espocrm: who has created a record or a note is told, too', async () => {
  const connection = await overCrm(ESPOCRM)
  onTestFinished(() => connection.close())
  const { service, simulator } = connection
  const crm = connection.signIn(connection.adminKey)
  const poll = () => watchWorkspace(service, 1, new AbortController().signal)
  const create = (lastName: string) => ask(simulator.url, 'POST', '/api/v1/Lead', { lastName })
  const { createdById } = await create('Lovelace')
  await poll()
  const { UserID } = await crm.users.create({ Name: 'Ada', PlatformUserID: String(createdById) })
  const { id } = await create('Hopper')
  await ask(simulator.url, 'POST', '/api/v1/Note', { type: 'Post', parentType: 'Lead', parentId: id, post: 'Called.' })
  await simulator.advance(60_000)
  await poll()
  const { Records } = await crm.changes.getMany({ Filters: { RecordID: String(id) }, OrderBy: 'Number' })
  expect(Records).toMatchObject([
    { UserID, EventType: 'lead.created' },
    { UserID, EventType: 'lead.note_added' },
  ])
})

describe.each(ALL_CRMS)('%s', (name, kind) => {
  test('tells which of our users has changed a record', async () => {
    const connection = await overCrm(kind)
    const { service, simulator } = connection
    const other = await otherClient(kind, simulator.url)
    onTestFinished(async () => {
      await other.close()
      await connection.close()
    })
    const crm = connection.signIn(connection.adminKey)
    const poll = () => watchWorkspace(service, 1, new AbortController().signal)
    const { LeadID } = (await other.write(1, (writer) => writer.create('Lead', { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open' }))) as {
      LeadID: string
    }
    await simulator.advance(60_000)
    await poll()
    const person = await (EDITS[name] as (typeof EDITS)[string])(simulator.url, LeadID)
    const { UserID } = await crm.users.create({ Name: 'Ada', PlatformUserID: person })
    await simulator.advance(60_000)
    await poll()
    const { Records } = await crm.changes.getMany({ Filters: { RecordID: LeadID, EventType: 'lead.updated' } })
    expect(Records).toMatchObject([{ UserID, Transport: 'crm' }])
  })
})
