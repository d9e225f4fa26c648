import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { storeIn } from '../support/crashes.ts'
import { answerOf, crm } from '../support/crm.ts'
import { noSmallDisk, smallDisk } from '../support/disk.ts'
import { allEvents } from '../support/events.ts'
import { temporaryFolder } from '../support/folder.ts'
import { expectUnavailable, LeadWriter } from '../support/lead-writer.ts'
import { type RunningService, startService } from '../support/service.ts'
import { expectSound } from '../support/sound.ts'

const ada = { FirstName: 'Ada', LastName: 'Lovelace' }

/** Fills a disk by writing to it, and sees what is left of the service, and what comes back once there is room. */
async function fillAndRecover(service: RunningService, makeRoom: () => void): Promise<LeadWriter> {
  const writer = new LeadWriter()
  await writer.untilFull(service)

  await writer.expectAll(service)
  expect(await allEvents(service)).toHaveLength(writer.acknowledged.size)
  const rehearsed = await service.post('create_a_lead', ada, { 'dry-run': 'true' })
  expect(await rehearsed.json()).toMatchObject({ DryRun: true, WouldWrite: ada })
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
  expect((await service.post('create_a_lead', { FirstName: 'Ada' })).status).toBe(400)
  await expectUnavailable(
    await service.post('create_a_lead', { ...ada, Phone: '0'.repeat(255), Email: `${'a'.repeat(240)}@b.com` }, { 'idempotency-key': 'once' }),
  )
  const batch = await fetch(`${service.url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ Operations: Array.from({ length: 30 }, () => ({ Operation: 'create_a_lead', Input: ada })), Atomic: true }),
  })
  const { Results } = (await batch.json()) as { Results: { Status: number; Error: { code: string } }[] }
  expect(new Set(Results.map(({ Status }) => Status))).toEqual(new Set([503, 409]))
  await writer.expectAll(service)

  makeRoom()
  expect(await writer.write(service, 16)).toBe(0)
  // A refusal has not used up the key.
  const again = await service.post('create_a_lead', ada, { 'idempotency-key': 'once' })
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null])
  writer.acknowledged.add(((await again.json()) as { LeadID: string }).LeadID)
  await writer.expectAll(service)
  return writer
}

describe.skipIf(noSmallDisk)(`a disk that is full${noSmallDisk ? ` (skipped: ${noSmallDisk})` : ''}`, () => {
  test('refuses writes as unavailable, answers reads and dry runs, corrupts nothing, and takes writes again once there is room', async () => {
    const disk = await smallDisk(8_000_000)
    const service = await startService(disk.folder)
    disk.fill(1_500_000)
    const writer = await fillAndRecover(service, disk.free)
    await service.end('SIGKILL')
    await expectSound(storeIn(disk.folder))
    const after = await startService(disk.folder)
    await writer.expectAll(after)
  })

  test('is told at once to whoever starts a service on it, and the store is none the worse', async () => {
    const disk = await smallDisk(8_000_000)
    const serve = () => crm(['serve', '--port', '0'], { cwd: disk.folder })
    disk.fill()
    expect(await serve()).toMatchObject({ code: 7, out: '', err: expect.stringMatching(/disk is full/) })
    disk.free()

    const lead = answerOf(await crm(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'], { cwd: disk.folder }))
    disk.fill()
    expect(await serve()).toMatchObject({ code: 7, out: '', err: expect.stringMatching(/The store \S+ cannot be opened: .*disk/) })
    disk.free()
    await expectSound(storeIn(disk.folder))
    expect(await (await startService(disk.folder)).call('get_leads', { LeadID: lead.LeadID })).toMatchObject(ada)
  })
})

// A limit to the size of files is a full disk as far as the process can tell, and needs no privileges.
const noLimit = process.platform === 'linux' ? undefined : 'needs prlimit, which only Linux has'

test.skipIf(noLimit)(`a quota that is used up is the same as a full disk${noLimit ? ` (skipped: ${noLimit})` : ''}`, async () => {
  const cwd = await temporaryFolder()
  const service = await startService(cwd)
  const limit = (bytes: number | 'unlimited') => execFileSync('prlimit', ['--pid', String(service.child.pid), `--fsize=${bytes}:unlimited`])
  limit(statSync(`${storeIn(cwd)}-wal`).size + 200_000)
  await fillAndRecover(service, () => limit('unlimited'))
  expect(await service.end()).toBe(0)
  await expectSound(storeIn(cwd))
})
