import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openService } from '../../src/app/open.ts'
import { readConfig } from '../../src/config/settings.ts'
import type { ErrorCode, CrmError as Refusal } from '../../src/contract/errors.ts'
import { LIMITS } from '../../src/contract/limits.ts'
import { createAuthenticator, localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { execute } from '../../src/core/call/execute.ts'
import { verifyAudit } from '../../src/core/journal/audit.ts'
import { createService, type Service } from '../../src/core/service.ts'
import { temporaryFolder } from '../support/folder.ts'
import { STORES } from '../support/stores.ts'

interface Line {
  readonly Operation: string
  readonly Outcome: string
  readonly Count: number | null
  readonly KeyID: string
}

/** A key that may only read leads, what it calls, and what an admin reads of it. */
async function intruderIn(service: Service) {
  const admin = await localAdmin(service)
  const call = async (operation: string, input: object = {}) => (await execute(service, { operation, input, caller: admin })).result
  const { Key, KeyID } = (await call('create_key', { Scopes: ['read:Lead'] })) as { Key: string; KeyID: string }
  const caller = await createAuthenticator(service)(Key)
  const attempt = (operation: string, input: object = {}): Promise<ErrorCode> =>
    execute(service, { operation, input, caller }).then(
      () => 'internal' as const,
      ({ code }: Refusal) => code,
    )
  const lines = async () =>
    ((await call('get_many_changes', { Filters: { KeyID }, OrderBy: 'Number asc', Limit: 1000 })) as { Records: Line[] }).Records.map((line) => [
      line.Operation,
      line.Outcome,
      line.Count,
    ])
  return { attempt, lines, call }
}

const single = Array.from({ length: LIMITS.refusals }, () => ['delete_lead', 'forbidden', null])

describe.each(STORES)('calls that a key may not make, on $platform', ({ open }) => {
  test('get a line each up to a limit, and are counted from then on', async () => {
    const opened = await open()
    onTestFinished(() => opened.close())
    let [writes, now] = [0, Date.now()]
    const store: typeof opened = {
      ...opened,
      write: (workspace, work) => {
        writes += 1
        return opened.write(workspace, work)
      },
    }
    const service = createService({ platform: store, store, now: () => new Date(now) })
    await bootstrap(service)
    const { attempt, lines } = await intruderIn(service)
    const before = writes
    for (let i = 0; i < LIMITS.refusals + 7; i++) expect(await attempt('delete_lead', { LeadID: `lead-${i}` })).toBe('forbidden')
    for (let i = 0; i < 5; i++) expect(await attempt('get_many_cases')).toBe('forbidden')
    expect(writes - before).toBe(LIMITS.refusals)

    const counted = [...single, ['delete_lead', 'forbidden', 7], ['get_many_cases', 'forbidden', 5]]
    expect(await lines()).toEqual(counted)
    expect(writes - before).toBe(LIMITS.refusals + 1)
    expect((await verifyAudit(service, {})).flatMap(({ faults }) => faults)).toEqual([])

    now += 60_000
    expect(await attempt('get_many_cases')).toBe('forbidden')
    expect(await lines()).toEqual([...counted, ['get_many_cases', 'forbidden', null]])
  })
})

test('refusals of a key that may make the call are lines however many there are', async () => {
  const service = await openService(readConfig({ platform: 'sqlite::memory:' }, {}))
  onTestFinished(() => service.close())
  const { call } = await intruderIn(service.service)
  for (let i = 0; i < LIMITS.refusals + 7; i++) await call('delete_lead', { LeadID: 'nobody' }).catch(() => {})
  const { Records } = (await call('get_many_changes', { Filters: { Outcome: 'not_found' }, Limit: 1000 })) as { Records: Line[] }
  expect(Records).toHaveLength(LIMITS.refusals + 7)
})

test('what was only counted is written when the service closes', async () => {
  const config = readConfig({ platform: `sqlite:${join(await temporaryFolder(), 'crm.db')}` }, {})
  const first = await openService(config)
  const { attempt } = await intruderIn(first.service)
  for (let i = 0; i < LIMITS.refusals + 3; i++) await attempt('delete_lead')
  await first.close()
  const { service, close } = await openService(config)
  onTestFinished(() => close())
  const caller = await localAdmin(service)
  const { result } = await execute(service, { operation: 'get_many_changes', input: { Filters: { Count: { gt: 0 } } }, caller })
  expect(result).toMatchObject({ Records: [{ Operation: 'delete_lead', Outcome: 'forbidden', Count: 3 }] })
})
