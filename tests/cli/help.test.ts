import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { CrmError } from '../../src/contract/errors.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { createCustomObject } from '../../src/contract/records/custom-object.ts'
import { runHere } from '../support/cli.ts'
import { answerOf, crm, shell } from '../support/crm.ts'
import { type Call, newId, prepare, SAMPLED } from '../support/samples.ts'
import { storeForFile } from '../support/store-for-file.ts'

const store = storeForFile({ CRM_WEBHOOK_PRIVATE: 'true' })
const { cwd, env } = store
const call: Call = async (operation, input) => (await store.crm.call(operation, input)) as Record<string, unknown>
// Some examples filter by the fields that this one defines.
beforeAll(() => call(createCustomObject.id, createCustomObject.example))

/** The plan of a delete that waits to be confirmed. */
async function newPlan(): Promise<string> {
  const LeadID = await newId('LeadID', call)
  const refusal = await store.crm.call('delete_lead', { LeadID }, { confirm: true }).catch((error: CrmError) => error)
  return refusal instanceof CrmError ? (refusal.plan?.PlanID ?? '') : ''
}

/** Every command there is, by the help. */
async function commands(): Promise<string[]> {
  const { out } = await runHere(['--help'], { env })
  return [...out.matchAll(/^ {2}([\w-]+) {2,}\S/gm)].map(([, name = '']) => name).filter((name) => !name.startsWith('-') && name !== 'help')
}

/** A line as a shell takes it apart; enough for lines without variables. */
const wordsOf = (line: string) => [...line.matchAll(/(?:'[^']*'|\\.|[^\s'])+/g)].map(([word]) => word.replace(/'([^']*)'|\\(.)/g, '$1$2'))

describe('crm --help', () => {
  test('names every operation and every other command under its heading, one line each', async () => {
    const { code, out, err } = await runHere(['--help'], { env })
    expect([code, err]).toEqual([0, ''])
    const groups = out.split('\n\n').map((part) => part.split('\n')[0])
    for (const group of ['Leads:', 'Opportunities:', 'Cases:', 'Custom objects:', 'Administration:', 'Journal:', 'Service:', 'Store:'])
      expect(groups).toContain(group)
    for (const name of [
      'serve',
      'mcp',
      'login',
      'logout',
      'doctor',
      'simulate',
      'completion',
      'workspaces',
      'backup',
      'restore',
      'migrate-store',
      'secrets',
      'batch',
      'audit',
      'mirror',
      'tail',
      'types',
    ])
      expect(out).toMatch(new RegExp(`^ {2}${name} {2,}\\S`, 'm'))
    for (const { id } of OPERATIONS) expect(out).toMatch(new RegExp(`^ {2}${id} {2,}\\S`, 'm'))
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  test('is what crm help and crm alone say too', async () => {
    const [flag, word, alone] = [await runHere(['--help'], { env }), await runHere(['help'], { env }), await runHere([], { env })]
    expect([word, alone]).toEqual([flag, flag])
    expect((await crm(['--help'], { cwd })).out).toContain('create_a_lead')
  })

  test('of a single command is the same in every spelling, and by crm help', async () => {
    const { out } = await runHere(['create_a_lead', '--help'], { env })
    expect(out).toMatch(/^Usage: crm create_a_lead/)
    expect((await runHere(['help', 'create_a_lead'], { env })).out).toBe(out)
    expect((await runHere(['Create A Lead', '--help'], { env })).out).toContain('--FirstName <text>')
  })
})

describe('the help of an operation that takes fields', () => {
  const own = storeForFile()
  const help = async (words: string[], how: Parameters<typeof runHere>[1] = { env: own.env }) => {
    const { code, out, err } = await runHere(words, how)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return out
  }
  beforeAll(async () => {
    await own.crm.fields.define({ RecordType: 'Lead', FieldName: 'Vip', Kind: 'boolean', Label: 'Very important' })
    await own.crm.fields.define({ RecordType: 'Lead', FieldName: 'Score', Kind: 'number', Label: 'Score' })
  })

  test('lists those of the workspace in a section of their own', async () => {
    for (const words of [
      ['create_a_lead', '--help'],
      ['help', 'upsert_lead'],
      ['Create A Lead', '-h'],
    ])
      expect(await help(words)).toMatch(
        /\nFields of this workspace:\n {2}--Score <number> +Score; number\n {2}--Vip \[true\|false\] +Very important; boolean\n\n/,
      )
    expect(await help(['update_lead', '--help'])).toMatch(/--FieldsToUpdate\.NAME, NAME being [\s\S]*Score,\s+Vip/)
    expect(await help(['get_many_leads', '--help'])).toMatch(/NAME being[\s\S]*Score,\s+Vip/)
    expect(await help(['create_case', '--help'])).not.toContain('Fields of this workspace')
  })

  test('lists them by a key, and where flags say where the store is', async () => {
    const { Key } = await own.crm.keys.create({ Scopes: ['read'] })
    expect(await help(['create_a_lead', '--help'], { env: { ...own.env, CRM_KEY: Key } })).toContain('--Vip ')
    const { CRM_PLATFORM = '', ...elsewhere } = own.env
    expect(await help(['create_a_lead', '--platform', CRM_PLATFORM, '--help'], { env: elsewhere })).toContain('--Vip ')
    expect(await help(['create_a_lead', '--help', '--platform', CRM_PLATFORM], { env: elsewhere })).toContain('--Vip ')
  })

  test('is as ever without a store, by a key that is unknown, and where nothing answers', async () => {
    const { CRM_PLATFORM: _, ...nowhere } = own.env
    const plain = await help(['create_a_lead', '--help'], { env: { ...nowhere, CRM_PLATFORM: `sqlite:${own.cwd}/none.db` } })
    expect(plain).not.toContain('Fields of this workspace')
    expect(await help(['create_a_lead', '--help'], { env: { ...own.env, CRM_KEY: 'unknown' } })).toBe(plain)
    expect(await help(['create_a_lead', '--help'], { env: { ...nowhere, CRM_URL: 'http://127.0.0.1:9', CRM_KEY: 'k' } })).toBe(plain)
    expect(await help(['create_a_lead', '--help'], { env: own.env, app: { client: () => new Promise(() => {}) } })).toBe(plain)
    expect(existsSync(`${own.cwd}/none.db`)).toBe(false)
  })

  test('ends the process, too, where a server takes the connection and never answers', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const { code, out } = await crm(['create_a_lead', '--help'], { cwd, env: { CRM_URL: `http://127.0.0.1:${port}`, CRM_KEY: 'k' } })
    silent.close()
    silent.closeAllConnections()
    expect(code).toBe(0)
    expect(out).toMatch(/\nExample:\n {2}crm create_a_lead .*\n$/)
  })
})

test('every command explains itself, with an example', async () => {
  const names = await commands()
  expect(names.length).toBeGreaterThan(OPERATIONS.length + 10)
  for (const name of names) {
    const { code, out } = await runHere([name, '--help'], { env })
    const inner = [...out.matchAll(/^ {2}([a-z]+) .*$/gm)]
      .map(([, word = '']) => word)
      .filter((word) => /^Usage: crm (workspaces|audit) /.test(out) && word !== 'help')
    const helps = [out, ...(await Promise.all(inner.map(async (word) => (await runHere([name, word, '--help'], { env })).out)))]
    expect({ name, code }).toEqual({ name, code: 0 })
    for (const help of helps)
      expect(help, name).toMatch(/^Usage: crm [^\n]*\n\n\S[\s\S]*\n(Example|The calls look like this|Stop the service before)[^\n]*:\n {2}\S/m)
    for (const help of helps) expect(help, name).not.toMatch(/default: [{[]/)
  }
})

test('crm --version is the version of the package', async () => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } })
  expect((await crm(['--version'], { cwd })).out).toBe(`${manifest.version}\n`)
})

test.each(OPERATIONS.map((operation) => [operation.id, operation] as const))(
  'crm %s --help explains each flag, and its example can be pasted',
  async (id, operation: Operation) => {
    const { code, out } = await runHere([id, '--help'], { env })
    expect(code).toBe(0)
    for (const name of Object.keys((operation.input as { properties?: object }).properties ?? {})) expect(out).toContain(`--${name} `)
    const [, example = ''] = /\nExample:\n {2}(crm .*)\n?$/.exec(out) ?? []
    if (!SAMPLED.includes(operation)) return
    let line = example
    let input = operation.example as Record<string, unknown>
    for (const [whole, name = ''] of example.matchAll(/--((?!ExternalID)\w+ID) \S+/g)) {
      const made = name === 'PlanID' ? await newPlan() : await newId(name, call)
      line = line.replace(whole, `--${name} ${made}`)
      input = { ...input, [name]: made }
    }
    await prepare(operation, input, call)
    const [first, ...words] = wordsOf(line)
    expect(first).toBe('crm')
    answerOf(await runHere([...words, ...(operation.confirmed ? ['--confirmation', tokenIn(await runHere(words, { env }))] : [])], { env }))
  },
)

/** The token that a refusal asks to be confirmed with. */
const tokenIn = ({ err }: { readonly err: string }) => /--confirmation (\S+?)[,"\s]/.exec(err)?.[1] ?? ''

test('an example with quotes and objects in it can be pasted into a real shell', async () => {
  for (const id of ['create_a_lead', 'get_many_leads', 'create_custom_object', 'create_key']) {
    const [, example = ''] = /\nExample:\n {2}(crm .*)\n?$/.exec((await runHere([id, '--help'], { env })).out) ?? []
    answerOf(await shell(example, { cwd, env }))
  }
})
