import { expect, test } from 'vitest'
import { clientsOf } from '../support/clients.ts'
import { expectOneEventPerChange, expectOnlyWhatWasAnswered, storeIn } from '../support/crashes.ts'
import { ask } from '../support/database.ts'
import { allEvents, liveEvents } from '../support/events.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type RunningService, startService } from '../support/service.ts'
import { expectSound } from '../support/sound.ts'

async function twoServices(): Promise<{ cwd: string; one: RunningService; other: RunningService }> {
  const cwd = await temporaryFolder()
  // One after the other: it is the first that makes the admin's key.
  const one = await startService(cwd)
  return { cwd, one, other: await startService(cwd) }
}

const ada = { FirstName: 'Ada', LastName: 'Lovelace' }

/** Creates a lead. A process that is paused in a transaction keeps the other's writes waiting for longer than they do. */
async function create(service: RunningService, key: string, input: object = ada): Promise<Response> {
  const answer = await service.post('create_a_lead', input, { 'idempotency-key': key })
  return answer.status === 503 ? create(service, key, input) : answer
}

test('two services on one file write side by side into one chain', async () => {
  const { cwd, one, other } = await twoServices()
  const clients = clientsOf(24)
  await Promise.all(clients.map((client, i) => client.write(i % 2 === 0 ? one : other, () => client.done.length >= 12)))
  // What one has carried out, the other knows.
  for (const [i, client] of clients.entries()) {
    const [first] = client.done
    if (!first) throw new Error('A client has written nothing.')
    expect(await client.send(i % 2 === 0 ? other : one, first)).toEqual({
      results: first.results,
      changeIds: first.changeIds,
      replayed: first.steps.map(() => true),
    })
  }
  await expectOneEventPerChange(one, clients)
  expect(await allEvents(other)).toEqual(await allEvents(one))
  await Promise.all([one.end(), other.end()])
  await expectOnlyWhatWasAnswered(storeIn(cwd), clients)
})

test('a key sent to two services in the same moment is carried out once', async () => {
  const { cwd, one, other } = await twoServices()
  const sent = Array.from({ length: 40 }, (_, i) => `key ${i}`.replace(' ', '-'))
  const answers = await Promise.all(sent.map((key) => Promise.all([create(one, key), create(other, key)])))
  for (const pair of answers) {
    expect(pair.map(({ status }) => status)).toEqual([200, 200])
    expect(pair.map(({ headers }) => headers.get('idempotency-replayed')).sort()).toEqual(['true', null].sort())
    const [first, second] = await Promise.all(pair.map((response) => response.text()))
    expect(second).toBe(first)
  }

  const differing = await Promise.all(
    sent.map((_, i) => Promise.all([create(one, `differing-${i}`), create(other, `differing-${i}`, { ...ada, LastName: 'Byron' })])),
  )
  for (const pair of differing) expect(pair.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(await ask(storeIn(cwd), 'SELECT COUNT(*) AS n FROM "Lead"')).toEqual([{ n: 2 * sent.length }])
  await expectSound(storeIn(cwd))
})

test('a live stream at one service shows what another writes', async () => {
  const { one, other } = await twoServices()
  const next = await liveEvents(one)
  for (const LastName of ['Lovelace', 'Byron', 'King']) {
    const { LeadID } = await other.call('create_a_lead', { ...ada, LastName })
    expect(await next()).toMatchObject({ Type: 'lead.created', RecordID: LeadID, Record: { LastName } })
    await one.call('add_notes_to_leads', { LeadID, Note: LastName })
    expect(await next()).toMatchObject({ Type: 'lead.note_added', RecordID: LeadID, Record: { Note: LastName } })
  }
})
