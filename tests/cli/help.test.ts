import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCustomObject } from '../../src/contract/custom-object.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { localAdmin } from '../../src/core/authenticate.ts'
import { bootstrap } from '../../src/core/bootstrap.ts'
import { execute } from '../../src/core/execute.ts'
import { createService, DEFAULT_SENDING } from '../../src/core/service.ts'
import type { Store } from '../../src/platforms/platform.ts'
import { openSqlite } from '../../src/platforms/sqlite/sqlite.ts'
import { answerOf, crm, shell } from '../support/crm.ts'
import { type Call, newId } from '../support/samples.ts'

let cwd: string
let store: Store
/** Carries out an operation as the commands would, without a process for each. */
let call: Call
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'crm-'))
  store = await openSqlite(join(cwd, 'data/crm.db'))
  const service = createService({ platform: store, store, sending: { ...DEFAULT_SENDING, allowPrivate: true } })
  await bootstrap(service)
  const caller = await localAdmin(service)
  call = async (operation, input) => (await execute(service, { operation, input, caller })).result as Record<string, unknown>
  // Some examples filter by the fields that this one defines.
  await call(createCustomObject.id, createCustomObject.example)
})
afterAll(async () => {
  await store.close()
  await rm(cwd, { recursive: true, force: true })
})

test('crm --help, crm help and crm alone name every command', async () => {
  const [flag, word, alone] = await Promise.all([crm(['--help'], { cwd }), crm(['help'], { cwd }), crm([], { cwd })])
  expect([flag.code, word.code, alone.code]).toEqual([0, 0, 0])
  expect([word.out, alone.out]).toEqual([flag.out, flag.out])
  for (const name of ['serve', 'workspaces', 'backup', 'restore', 'migrate-store', 'batch', 'audit', ...OPERATIONS.map(({ id }) => id)])
    expect(flag.out).toMatch(new RegExp(`^ {2}${name} `, 'm'))
})

test('crm --version is the version of the package', async () => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } })
  expect((await crm(['--version'], { cwd })).out).toBe(`${manifest.version}\n`)
})

test.concurrent.each(OPERATIONS.map((operation) => [operation.id, operation] as const))(
  'crm %s --help explains each flag, and its example can be pasted',
  async (id, operation: Operation) => {
    const { code, out } = await crm([id, '--help'], { cwd })
    expect(code).toBe(0)
    for (const name of Object.keys((operation.input as { properties?: object }).properties ?? {})) expect(out).toContain(`--${name} `)
    const [, example = ''] = /\nExample:\n {2}(crm .*)\n/.exec(out) ?? []
    let line = example
    let input = operation.example as Record<string, unknown>
    for (const [whole, name = ''] of example.matchAll(/--(\w+ID) \S+/g)) {
      const made = await newId(name, call)
      line = line.replace(whole, `--${name} ${made}`)
      input = { ...input, [name]: made }
    }
    if (id === 'remove_leads_from_campaign') await call('add_leads_to_campaign', input)
    answerOf(await shell(line, { cwd }))
  },
)
