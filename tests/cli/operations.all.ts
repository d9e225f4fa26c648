import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { answerOf, cleanEnvironment, collected, crm, type HowToRun, type Ran, shell, spawnCrm } from '../support/crm.ts'

const main = join(import.meta.dirname, '../../dist/main.js')

let cwd: string
let lead: Record<string, unknown>
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'crm-'))
  lead = await answered(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'])
})
afterAll(() => rm(cwd, { recursive: true, force: true }))

const run = (words: readonly string[], how: Partial<HowToRun> = {}): Promise<Ran> => crm(words, { cwd, ...how })
const answered = async (words: readonly string[], how: Partial<HowToRun> = {}) => answerOf(await run(words, how))

describe('an operation', () => {
  test.concurrent.each(['get_leads', 'get-leads', 'Get Leads', 'GET_LEADS', ' get  leads '])('is known as %j', async (name) => {
    expect(await answered([name, '--LeadID', String(lead.LeadID)])).toMatchObject({ FirstName: 'Ada', NotesTotal: 0 })
  })

  test.concurrent('that nobody knows is answered with the three nearest', async () => {
    const { code, out, err } = await run(['create_lead', '--FirstName', 'Ada'])
    expect({ code, out }).toEqual({ code: 4, out: '' })
    expect(err).toMatch(/^crm: There is no command called "create_lead"\. \[not_found\]\n {2}Nearest: create_a_lead, \w+, \w+\. crm --help lists them all\.\n$/)
  })

  test.concurrent('prints one line of JSON where nobody looks on', async () => {
    expect((await run(['get_leads', '--LeadID', String(lead.LeadID)])).out).toMatch(/^\{.*\}\n$/)
  })
})

describe('a flag', () => {
  test.concurrent('is a number, a truth, a list or JSON where its schema says so', async () => {
    const deal = await answered(['create_opportunity', '--OpportunityName', 'Engine', '--Stage', 'Open', '--CloseDate', '2026-12-31', '--Amount', '-12.5'])
    expect(deal.Amount).toBe(-12.5)
    const page = await answered(['get_many_opportunities', '--Limit', '1', '--Select', 'Amount,Stage', '--Filters', '{"Amount":{"lt":0}}'])
    expect(page.Records).toEqual([{ OpportunityID: deal.OpportunityID, Amount: -12.5, Stage: 'Open' }])
    const { CaseID } = await answered(['create_case', '--Subject', 'Card', '--Description', 'Jammed'])
    const comment = (...words: string[]) => answered(['add_comment', '--CaseID', String(CaseID), '--Comment', 'x', ...words])
    expect([(await comment()).Publish, (await comment('--Publish')).Publish, (await comment('--Publish', 'false')).Publish]).toEqual([false, true, false])
    expect((await answered(['create_key', '--Scopes', '["read", "write:Lead"]'])).Scopes).toEqual(['read', 'write:Lead'])
  })

  test.concurrent('is a text where its schema says so, whatever it looks like', async () => {
    expect(await answered(['create_a_lead', '--FirstName', '007', '--LastName', 'true', '--Phone', '--', '--Email=a@b'])).toMatchObject({
      FirstName: '007',
      LastName: 'true',
      Phone: '--',
      Email: 'a@b',
    })
    expect(await answered(['create_a_lead', '--FirstName', 'Get Leads', '--LastName', '\'"\\ ünï\n'])).toMatchObject({
      FirstName: 'Get Leads',
      LastName: '\'"\\ ünï\n',
    })
  })

  test.concurrent('that nobody knows names the nearest', async () => {
    const { code, out, err } = await run(['create_a_lead', '--FirstNme', 'Ada'])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toBe(
      'crm: create_a_lead has no flag --FirstNme. [invalid_input]\n  Did you mean --FirstName? crm describe --RecordType Lead lists all fields.\n',
    )
  })

  test.concurrent('without its value, a word too many, and JSON that is none are bad input', async () => {
    const bad = [
      [['create_a_lead', '--FirstName'], /^crm: --FirstName needs a value\./],
      [['create_a_lead', 'Ada'], /^crm: create_a_lead was given more words than it takes\./],
      [['get_many_leads', '--Filters', '{Status: Open}'], /--Filters is not JSON/],
      [['get_many_leads', '--json', '{'], /--json is not JSON/],
      [['get_many_leads', '--json', '[]'], /must be an object/],
      [['get_many_leads', '--Limit', 'many'], /Limit/],
    ] as const
    for (const [words, says] of bad) {
      const { code, err } = await run(words)
      expect({ words, code }).toEqual({ words, code: 2 })
      expect(err).toMatch(says)
    }
  })
})

describe('the whole input', () => {
  const ADA = { FirstName: 'Ada', LastName: 'King', Email: null }

  test.concurrent('comes as JSON, with flags on top', async () => {
    expect(await answered(['create_a_lead', '--json', JSON.stringify(ADA)])).toMatchObject(ADA)
    expect(await answered(['create_a_lead', '--json', JSON.stringify(ADA), '--Phone', '1'])).toMatchObject({ ...ADA, Phone: '1' })
  })

  test.concurrent('comes from standard input: asked for, or simply piped in', async () => {
    const input = JSON.stringify(ADA)
    expect(await answered(['create_a_lead', '--json', '-'], { input })).toMatchObject(ADA)
    expect(await answered(['create_a_lead', '--json', '-', '--Phone', '2'], { input })).toMatchObject({ ...ADA, Phone: '2' })
    expect(await answered(['create_a_lead'], { input })).toMatchObject(ADA)
    expect(answerOf(await shell(`echo '${input}' | crm create_a_lead`, { cwd }))).toMatchObject(ADA)
    expect(answerOf(await shell(`crm create_a_lead <<< '${input}'`, { cwd }))).toMatchObject(ADA)
    expect(answerOf(await shell(`(sleep 0.5; echo '${input}') | crm create_a_lead --json -`, { cwd }))).toMatchObject(ADA)
  })

  test.concurrent('is empty where nothing is piped in: a terminal, /dev/null, a closed input, an empty one', async () => {
    expect(await answered(['get_current_user'], { input: '' })).toMatchObject({ Role: 'admin' })
    expect(await answered(['get_many_users'], { input: '' })).toMatchObject({ Records: [{ Name: 'Admin' }] })
    for (const from of ['< /dev/null', '<&-'])
      expect(answerOf(await shell(`crm get_many_users ${from}`, { cwd }))).toMatchObject({ Records: [{ Name: 'Admin' }] })
    const { code, err } = await run(['create_a_lead'], { input: '' })
    expect(code).toBe(2)
    expect(err).toContain('FirstName is required')
  })

  test.concurrent('is waited for where a pipe is open and something is needed, and that is said', async () => {
    const child = spawn(process.execPath, [main, 'get_leads'], { cwd, env: cleanEnvironment(), stdio: 'pipe' })
    const [out, err, ended] = [collected(child.stdout), collected(child.stderr), once(child, 'close')]
    await vi.waitFor(() => expect(err()).toContain('Waiting'), 60_000)
    child.stdin.end('{"LeadID":"nobody"}')
    expect({ code: (await ended)[0] as number, out: out() }).toEqual({ code: 4, out: '' })
    expect(err()).toMatch(/^crm: Waiting for the input on standard input\. .*\ncrm: --LeadID: There is no Lead "nobody"/)
  })

  test.concurrent('is not waited for where a pipe is open and nothing is needed, unless it is asked for', async () => {
    for (const words of [['get_many_users'], ['get_leads', '--LeadID', String(lead.LeadID)], ['get_current_user']]) {
      // This pipe stays open, and the command ends all the same.
      const child = spawn(process.execPath, [main, ...words], { cwd, env: cleanEnvironment(), stdio: ['pipe', 'pipe', 'inherit'] })
      const [code] = (await once(child, 'close')) as [number]
      expect({ words, code }).toEqual({ words, code: 0 })
    }
    const asked = await run(['get_many_users', '--json', '-'], { input: '{"Limit":1,"Select":["Name"]}' })
    expect(answerOf(asked).Records).toEqual([expect.objectContaining({ Name: 'Admin' })])
  })

  test.concurrent('is refused where it is not JSON, or where none came that was asked for', async () => {
    for (const input of ['', 'Ada']) {
      const { code, err } = await run(['create_a_lead', '--json', '-'], { input })
      expect(code).toBe(2)
      expect(err).toMatch(/^crm: Standard input is not JSON: .* \[invalid_input\]\n$/)
    }
  })
})

describe('a refusal', () => {
  test.concurrent('says every fault, what was expected and where to read on, and exits by the table', async () => {
    const { code, out, err } = await run(['create_a_lead', '--Email', 'nobody'])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err.split('\n')).toEqual([
      'crm: Create A Lead: 3 faults. [invalid_input]',
      '  --FirstName is required.',
      '  --LastName is required.',
      expect.stringMatching(/^ {2}--Email is not an e-mail address\. \(expected: /),
      '  crm create_a_lead --help shows the input that is expected.',
      '',
    ])
  })

  test.concurrent('of what is not there, has changed, or disagrees has an exit code of its own', async () => {
    const missing = await run(['get_leads', '--LeadID', 'nobody'])
    expect([missing.code, missing.err]).toEqual([4, expect.stringContaining('[not_found]')])
    const changed = await run(['update_lead', '--LeadID', String(lead.LeadID), '--FieldsToUpdate', '{"Phone":"1"}', '--IfRevision', '99'])
    expect([changed.code, changed.err]).toEqual([5, expect.stringContaining('[conflict]')])
    const elsewhere = await run(['get_many_leads', '--workspace', 'nowhere'])
    expect([elsewhere.code, elsewhere.err]).toEqual([4, 'crm: There is no workspace "nowhere". [not_found]\n  There are: default.\n'])
  })
})

describe('what is printed', () => {
  test.concurrent('may be read only at its beginning', async () => {
    const many = `for i in 1 2 3; do crm create_custom_object --ObjectName Large --Fields '{"Text":{"Type":"String","Label":"Text","Value":"${'x'.repeat(30_000)}"}}' > /dev/null; done`
    const { code, out, err } = await shell(`${many}; set -o pipefail; crm get_many_custom_objects | head -c 1`, { cwd })
    expect({ code, out, err }).toEqual({ code: 0, out: '{', err: '' })
  })

  test.concurrent('and cannot be written is a failure', async () => {
    const { code, err } = await shell('crm get_many_leads > /dev/full', { cwd })
    expect(code).toBe(1)
    expect(err).toMatch(/^crm: The output could not be written: ENOSPC.*\n {2}What was asked for may have been done all the same\.\n$/)
  })

  test('and was interrupted is not taken for whole', async () => {
    const filled = await run(['demo', '--size', '2000', '--months', '1'], { env: { CRM_PLATFORM: 'sqlite:large.db' } })
    expect(filled.code, filled.err).toBe(0)
    const child = spawnCrm(['get_many_leads', '--all'], { cwd, env: { CRM_PLATFORM: 'sqlite:large.db' } })
    const ended = once(child, 'close')
    // More than a pipe holds: nobody reads on, so that it cannot come to its end.
    await once(child.stdout ?? expect.fail('It has no output.'), 'readable')
    child.kill('SIGINT')
    child.stdout?.resume()
    expect(await ended).toEqual([null, 'SIGINT'])
  })

  test.concurrent('on a terminal is for people', async () => {
    const child = spawn('script', ['-qec', `"${process.execPath}" "${main}" get_current_user`, '/dev/null'], { cwd })
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    await new Promise((resolve) => child.on('close', resolve))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
    expect(out.replace(/\u001b\[\d+m/g, '')).toMatch(/^UserID {10}\w{20}\r?\nName {12}Admin\r?\n/)
  })
})
