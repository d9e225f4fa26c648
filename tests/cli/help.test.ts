import { beforeAll, describe, expect, test } from 'vitest'
import { CrmError } from '../../src/contract/errors.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { createCustomObject } from '../../src/contract/records/custom-object.ts'
import { runHere } from '../support/cli.ts'
import { answerOf, crm, shell } from '../support/crm.ts'
import { type Call, newId, prepare } from '../support/samples.ts'
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
      'batch',
      'audit',
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
    answerOf(await runHere(words, { env }))
  },
)

test('an example with quotes and objects in it can be pasted into a real shell', async () => {
  for (const id of ['create_a_lead', 'get_many_leads', 'create_custom_object', 'create_key']) {
    const [, example = ''] = /\nExample:\n {2}(crm .*)\n?$/.exec((await runHere([id, '--help'], { env })).out) ?? []
    answerOf(await shell(example, { cwd, env }))
  }
})
