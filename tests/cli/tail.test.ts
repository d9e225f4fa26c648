import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Event } from '../../src/contract/records/event.ts'
import { type CommandOptions, runHere, startHere } from '../support/cli.ts'
import { cleanEnvironment, collected } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { serverForTest } from '../support/server.ts'
import { storeForFile } from '../support/store-for-file.ts'

const store = storeForFile()

/** A tail that is ended with the test, and the events it has printed so far. */
function tail(words: readonly string[], how: CommandOptions = {}) {
  const running = startHere(['tail', ...words], { ...how, env: { ...store.env, ...how.env } })
  onTestFinished(async () => {
    running.interrupt()
    await running.ended
  })
  return {
    ...running,
    events: () =>
      running
        .out()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Event),
  }
}

const lead = (LastName: string) => store.crm.leads.create({ FirstName: 'Ada', LastName })
const names = (events: readonly Event[]) => events.map(({ Record }) => (Record as { LastName?: string; Subject?: string } | null)?.LastName ?? '')
const soon = (expected: () => void) => vi.waitFor(expected, { timeout: 60_000, interval: 20 })

describe('crm tail', () => {
  test('shows the last events, and then what happens, one JSON a line', async () => {
    await lead('Before')
    const { events, ended, interrupt } = tail(['-n', '1'])
    await soon(() => expect(names(events())).toEqual(['Before']))
    const { LeadID } = await lead('After')
    await soon(() => expect(names(events())).toEqual(['Before', 'After']))
    expect(events()[1]).toMatchObject({ Type: 'lead.created', RecordID: LeadID, ChangedFields: expect.arrayContaining(['LastName']) })
    interrupt()
    expect(await ended).toMatchObject({ code: 130, err: '' })
  })

  test('begins with ten unless told otherwise, and with none at 0', async () => {
    for (let i = 0; i < 12; i++) await lead(`Ten ${i}`)
    const ten = tail([])
    await soon(() => expect(names(ten.events())).toEqual(Array.from({ length: 10 }, (_, i) => `Ten ${i + 2}`)))
    const none = tail(['--lines', '0', '--type', 'lead.created'])
    await soon(async () => {
      await lead('New')
      expect(new Set(names(none.events()))).toEqual(new Set(['New']))
    })
  })

  test('shows only the types that are wanted, also among the last ones', async () => {
    await lead('Wanted')
    const { LeadID } = await lead('Also')
    await store.crm.leads.addNote({ LeadID, Note: 'x' })
    await store.crm.cases.create({ Subject: 'x', Description: 'y' })
    const some = tail(['--type', 'lead.created', '--type', 'lead.note_*', '-n', '3'])
    await soon(() => expect(some.events().map(({ Type }) => Type)).toEqual(['lead.created', 'lead.created', 'lead.note_added']))
    expect((await runHere(['tail', '--type', 'leads.*'], { env: store.env })).err).toContain('There is no event called "leads.*".')
  })

  test('begins at an event, at a time, or with the oldest', async () => {
    const { env } = store
    const all = (await store.crm.events.getMany({ Limit: 1000 })).Events
    const from = tail(['--since', all[2]?.EventID ?? ''])
    await soon(() => expect(from.events().map(({ EventID }) => EventID)).toEqual(all.slice(3).map(({ EventID }) => EventID)))
    for (const since of ['all', '1h', '2020-01-01', '2020-01-01T00:00:00Z']) {
      const { events } = tail(['--since', since])
      await soon(() => expect(events().map(({ EventID }) => EventID)).toEqual(all.map(({ EventID }) => EventID)))
    }
    for (const since of ['yesterday', '10', '2026-13-01', '1y', ''])
      expect(await runHere(['tail', '--since', since], { env })).toMatchObject({ code: 2, err: expect.stringContaining('--since is neither') })
    expect((await runHere(['tail', '--since', 'all', '-n', '5'], { env })).err).toContain('--since and --lines each say where to begin.')
  })

  test('is for whoever has a key that may not read the audit, too', async () => {
    const { Key } = await store.crm.keys.create({ Scopes: ['read:Lead'] })
    const { events } = tail(['--since', '1h'], { env: { CRM_KEY: Key } })
    await soon(() => expect(events().length).toBeGreaterThan(10))
    expect(new Set(events().map(({ RecordType }) => RecordType))).toEqual(new Set(['Lead']))
  })

  test('is for members too, by the ids that they are shown', async () => {
    const server = await serverForTest()
    const { UserID } = await server.call('create_user', { Name: 'Grace' })
    const { Key } = await server.call('create_key', { UserID })
    const create = (LastName: string, key: unknown) => server.call('create_a_lead', { FirstName: 'Ada', LastName }, { authorization: `Bearer ${key}` })
    for (const name of ['One', 'Two', 'Three']) {
      await create('Not theirs', server.key)
      await create(name, Key)
    }
    const env = { CRM_URL: server.url, CRM_KEY: String(Key) }
    const two = tail(['-n', '2'], { env })
    await soon(() => expect(names(two.events())).toEqual(['Two', 'Three']))
    const since = tail(['--since', two.events()[0]?.EventID ?? ''], { env })
    await soon(() => expect(names(since.events())).toEqual(['Three']))
    const hour = tail(['--since', '1h', '--type', 'lead.*'], { env })
    await soon(() => expect(names(hour.events())).toEqual(['One', 'Two', 'Three']))
    await create('Four', Key)
    for (const { events } of [two, since, hour]) await soon(() => expect(names(events()).at(-1)).toBe('Four'))
  })

  test('on a terminal is a line an event: when, what, which record, what of it, who', async () => {
    const { LeadID } = await lead('Seen')
    await store.crm.leads.update({ LeadID, FieldsToUpdate: { Phone: '1', Email: 'a@b' } })
    await store.crm.leads.delete({ LeadID })
    const { out } = tail(['-n', '3'], { columns: 120, env: { NO_COLOR: '1' } })
    await soon(() => expect(out().trim().split('\n')).toHaveLength(3))
    expect(
      out()
        .trim()
        .split('\n')
        .map((line) => line.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}/, '')),
    ).toEqual([
      `lead.created            ${LeadID}  Ada Seen by Admin`,
      `lead.updated            ${LeadID}  Ada Seen (Email, Phone) by Admin`,
      `lead.deleted            ${LeadID}  Ada Seen by Admin`,
    ])
    const coloured = tail(['-n', '1'], { columns: 120 })
    await soon(() => expect(coloured.out()).toContain('\u001b[31mlead.deleted'))
  })

  test('keeps to the width of the terminal, and shows nothing that it would obey', async () => {
    await lead(`\u001b[31m${'x'.repeat(200)}`)
    const { out } = tail(['-n', '1'], { columns: 100, env: { NO_COLOR: '1' } })
    await soon(() => expect(out()).toMatch(/\n$/))
    expect(out().trimEnd().length).toBeLessThanOrEqual(100)
    expect(out()).not.toContain('\u001b')
  })

  test('ends when nobody reads any more', async () => {
    const { ended, leave, events } = tail(['-n', '1'])
    await soon(() => expect(events()).toHaveLength(1))
    leave()
    expect(await ended).toMatchObject({ code: 0, err: '' })
  })

  test('goes through a server', async () => {
    const server = await serverForTest()
    const { events, interrupt, ended } = tail([], { env: { CRM_URL: server.url, CRM_KEY: server.key } })
    await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Remote' })
    await soon(() => expect(names(events())).toContain('Remote'))
    interrupt()
    expect((await ended).code).toBe(130)
  })
})

test('the built command follows another process, and ends with the pipe or with Ctrl-C', async () => {
  const cwd = await temporaryFolder()
  const main = join(import.meta.dirname, '../../dist/main.js')
  const env = cleanEnvironment({ HOME: cwd })
  const start = () => spawn(process.execPath, [main, 'tail', '--since', 'all'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const create = () => once(spawn(process.execPath, [main, 'create_a_lead', '--FirstName', 'Ada', '--LastName', 'x'], { cwd, env, stdio: 'ignore' }), 'close')
  await create()
  const [piped, stopped] = [start(), start()]
  const ends = [once(piped, 'close'), once(stopped, 'close')]
  const [outs, errs] = [[piped, stopped].map(({ stdout }) => collected(stdout)), [piped, stopped].map(({ stderr }) => collected(stderr))]
  for (const out of outs) await soon(() => expect(out()).toContain('lead.created'))
  piped.stdout.destroy()
  stopped.kill('SIGINT')
  await create()
  await create()
  expect((await Promise.all(ends)).map(([code]) => code as number)).toEqual([0, 130])
  expect(errs.map((err) => err())).toEqual(['', ''])
})
