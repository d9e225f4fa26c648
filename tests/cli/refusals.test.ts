import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CrmError, type Problem } from '../../src/contract/errors.ts'
import { type CommandOptions, runHere } from '../support/cli.ts'
import { temporaryFolder } from '../support/folder.ts'
import { serverForTest } from '../support/server.ts'
import { storeForFile } from '../support/store-for-file.ts'

const store = storeForFile()
const run = (words: readonly string[], how: CommandOptions = {}) => runHere(words, { ...how, env: { ...store.env, ...how.env } })

describe('a refusal', () => {
  test.each([
    [
      ['update_lead', '--LeadID', 'x', '--FieldsToUpdate.Emial', 'a'],
      2,
      ['Update Lead: --FieldsToUpdate.Emial: There is no field called "Emial".', 'did you mean --FieldsToUpdate.Email?'],
    ],
    [['update_lead', '--LeadID', 'x', '--FieldsToUpdate', '{"Emial":"a"}'], 2, ['--FieldsToUpdate.Emial', 'did you mean --FieldsToUpdate.Email?']],
    [['update_lead', '--FieldsToUpdate.Phone', '1'], 2, ['Update Lead: --LeadID is required.']],
    [['get_many_leads', '--Filters.Statsu', 'Open'], 2, ['--Filters.Statsu', 'did you mean --Filters.Status?']],
    [['get_many_opportunities', '--Filters.Amount.gte', 'much'], 2, ['--Filters.Amount.gte must be a number']],
    [['get_many_leads', '--Limit', '0'], 2, ['--Limit must be at least 1.']],
    [
      ['create_a_lead', '--json', '{"FirstNme":"Ada","LastName":"x"}'],
      2,
      ['--FirstName is required.', 'FirstNme: There is no field', 'did you mean --FirstName?'],
    ],
    [['get_many_leads', '--Select', 'LastNam,Email'], 2, ['--Select[0]: There is no field called "LastNam".', 'did you mean LastName?']],
    [['create_key', '--Scopes', 'read,wirte'], 2, ['--Scopes[1]', 'did you mean write?']],
    [['create_key', '--Scopes', 'reed:Lead'], 2, ['--Scopes[0]', 'did you mean read:Lead?']],
    [
      ['create_opportunity', '--OpportunityName', 'x', '--Stage', 'Prospecting', '--CloseDate', '2026-12-31', '--Amount', '0x10'],
      2,
      ['--Amount must be a number'],
    ],
    [['create_user', '--Name', 'x', '--Role', 'manger'], 2, ['--Role is not one of the allowed values.', 'did you mean manager?']],
    [['get_leads', '--LeadID', 'nobody'], 4, ['--LeadID: There is no Lead "nobody"']],
    [['get_many_leads', '--Cursor', 'nonsense'], 2, ['--Cursor']],
  ])('of %j points at the flag', async (words, exit, says) => {
    const { code, out, err } = await run(words)
    expect({ code, out }).toEqual({ code: exit, out: '' })
    for (const one of says) expect(err).toContain(one)
    expect(err).not.toMatch(/GET \/v1|Authorization|Bearer/)
  })

  test('speaks of commands, not of HTTP', async () => {
    expect((await run(['create_a_lead'])).err).toContain('crm create_a_lead --help shows the input that is expected.')
    expect((await run(['get_many_leads'], { env: { CRM_KEY: 'crm_unknown' } })).err).toBe(
      'crm: This key is not known. [unauthenticated]\n  Set CRM_KEY to a valid key, or sign in with: crm login URL\n',
    )
    const planned = await run(['undo_change', '--ChangeID', 'x', '--confirmation', 'y', '--confirm'])
    expect(planned.err).not.toContain('Confirmation-Token')
    const unknown = await run(['delete_lead', '--LeadID', 'x', '--confirmation', 'y'])
    expect(unknown.err).toContain('--confirmation: There is no plan of yours with the token "y".')
    expect(unknown.err).not.toContain('ConfirmationToken')
  })

  test('of a write that may have been carried out tells how to ask again', async () => {
    const unknown = new CrmError('outcome_unknown', 'No answer came.', {
      hint: "It may have been executed. Repeat it with idempotencyKey: 'abc' to get its outcome; it never runs twice.",
    })
    const client = () => Promise.reject(unknown)
    const lead = ['create_a_lead', '--FirstName', 'Ada', '--LastName', 'x']
    expect((await run(lead, { app: { client } })).err).toContain('Run the same command again with --idempotency-key abc to get its outcome')
    expect(JSON.parse((await run([...lead, '--output', 'json'], { app: { client } })).err).hint).toContain('--idempotency-key abc')
    expect((await run(['tail'], { app: { client } })).err).toContain('Run the same command again to get its outcome')
  })

  test('of a key that no store could know leaves none behind', async () => {
    const cwd = await temporaryFolder()
    const env = { HOME: cwd, CRM_PLATFORM: `sqlite:${join(cwd, 'data/crm.db')}`, CRM_KEY: 'crm_bad' }
    const { code, err } = await runHere(['get_current_user'], { env })
    expect([code, err]).toEqual([3, expect.stringContaining('CRM_KEY is set, but there is no store to check it against: There is no store at ')])
    expect((await runHere(['login', '--status'], { env })).out).toContain('There is no store yet that could know the key.')
    expect(readdirSync(cwd)).toEqual([])
    const first = { ...env, CRM_KEY: 'k'.repeat(32), CRM_ADMIN_KEY: 'k'.repeat(32) }
    expect((await runHere(['get_current_user'], { env: first })).code).toBe(0)
  })

  test('shows nothing that a terminal would obey', async () => {
    const { err } = await run(['get_leads', '--LeadID', '\u001b[31mred\u0007'])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
    expect(err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })

  test('is a problem where JSON was asked for, and only then', async () => {
    const { code, out, err } = await run(['create_a_lead', '--Email', 'x', '--output', 'json'])
    const problem = JSON.parse(err) as Problem
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(problem).toMatchObject({ code: 'invalid_input', status: 400, retryable: false, type: '/docs/errors#invalid_input' })
    expect(problem.errors?.map(({ field }) => field)).toEqual(['FirstName', 'LastName', 'Email'])
    expect(JSON.parse((await run(['get_leads', '--LeadID', 'x', '--output=json'])).err)).toMatchObject({ code: 'not_found' })
    expect(JSON.parse((await run(['get_leads', '--LeadIDD', 'x', '--output', 'json'])).err)).toMatchObject({
      code: 'invalid_input',
      detail: 'get_leads has no flag --LeadIDD.',
    })
    expect(problem.hint).toBe('GET /v1/operations/create_a_lead shows the input that is expected.')
    expect(problem).not.toHaveProperty('requestId')
    expect((await run(['create_a_lead'])).err).toMatch(/^crm: /)
  })

  test('of a server has the id of the request there', async () => {
    const server = await serverForTest()
    const env = { HOME: await temporaryFolder(), CRM_URL: server.url, CRM_KEY: server.key }
    const { err } = await runHere(['create_a_lead', '--Email', 'x', '--output', 'json'], { env })
    expect(JSON.parse(err)).toMatchObject({ code: 'invalid_input', requestId: expect.stringMatching(/./) })
  })

  test('is red on a terminal that has colours', async () => {
    expect((await run(['get_leads', '--LeadID', 'x'], { columns: 80 })).err.slice(0, 15)).toBe('\u001b[31mcrm:\u001b[39m ')
  })
})

describe('a name at the wrong level', () => {
  test.each([
    [{ LeadID: 'x', Status: 'Open' }, 'did you mean --FieldsToUpdate.Status?'],
    [{ LeadID: 'x', FieldsToUpdate: { Phone: '1', IfRevision: 1 } }, 'did you mean --IfRevision?'],
  ])('in %j points to the flag that is meant', async (input, near) => {
    const { code, err } = await run(['update_lead', '--json', JSON.stringify(input)])
    expect(code).toBe(2)
    expect(err).toContain(near)
  })
})

describe('a line that makes no sense', () => {
  test.each([
    [['create_lead'], 4, 'There is no command called "create_lead".', 'Nearest: create_a_lead, '],
    [['help', 'docter'], 4, 'There is no command called "docter".', 'Nearest: doctor. '],
    [['docter'], 4, 'There is no command called "docter".', 'Nearest: doctor. '],
    [['delete_case'], 4, 'There is no command called "delete_case".', 'Nearest: case_delete. '],
    [['\u001b[31m'], 4, 'There is no command called "\\u001b[31m".', '  crm --help lists them all.'],
    [['create_a_lead', '--FirstNme', 'x'], 2, 'create_a_lead has no flag --FirstNme.', 'Did you mean --FirstName?'],
    [['update_lead', '--Emial', 'x'], 2, 'update_lead has no flag --Emial.', 'Did you mean --FieldsToUpdate.Email?'],
    [['get_many_leads', '--Filtres.Status', 'x'], 2, 'get_many_leads has no flag --Filtres.Status.', 'Did you mean --Filters.Status?'],
    [['get_many_leads', '--Limit.x', '1'], 2, 'get_many_leads has no flag --Limit.x.', 'Did you mean --Limit?'],
    [['get_many_leads', '--output', 'yaml'], 2, '--output cannot be "yaml".', 'It is one of json, table, csv.'],
    [['get_many_leads', '--Limit'], 2, '--Limit needs a value.', 'crm get_many_leads --help explains it.'],
    [['create_a_lead', '--FirstName', '--LastName', 'X'], 2, '--FirstName needs a value.', 'A value that begins with -- is given as --FirstName=--…'],
    [['create_a_lead', '--FirstName', 'A', '--LastName', 'X', '--FirstName', 'B'], 2, '--FirstName was given more than once.', 'It takes one value.'],
    [['tail', '--since', '--lines', '1'], 2, '--since needs a value.', 'crm tail --help explains it.'],
    [['get_many_leads', 'Open'], 2, 'get_many_leads was given more words than it takes.', 'quotes'],
    [['backup'], 2, 'backup needs FILE.', 'crm backup --help explains it.'],
    [['workspaces', 'ad', 'x'], 2, 'workspaces', 'crm workspaces'],
    [['audit', 'verfy'], 2, 'crm audit has no command called "verfy".', 'Did you mean verify?'],
    [['completion', 'powershell'], 2, 'The shell cannot be "powershell".', 'It is one of bash, zsh, fish.'],
    [['tail', '--lines', 'ten'], 2, '--lines cannot be "ten".', 'It must be a whole number.'],
    [['--versoin'], 2, 'crm has no flag --versoin.', 'Did you mean --version?'],
  ])('%j is refused with what was meant', async (words, exit, says, hint) => {
    const { code, out, err } = await run(words)
    expect({ code, out }).toEqual({ code: exit, out: '' })
    const [first, second] = err.split('\n')
    expect(first).toContain(says)
    expect(second).toContain(hint)
  })
})
