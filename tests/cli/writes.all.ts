import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { answerOf, crm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'

const cwd = mkdtempSync(join(tmpdir(), 'crm-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const run = (words: readonly string[]) => crm(words, { cwd })
const ada = (LastName: string) => ['create_a_lead', '--FirstName', 'Ada', '--LastName', LastName]
const leads = async (LastName: string) => (answerOf(await run(['get_many_leads', '--Filters', JSON.stringify({ LastName })])).Records as unknown[]).length

describe('--idempotency-key', () => {
  test('makes a command safe to repeat, also in processes that run side by side', async () => {
    const words = [...ada('Once'), '--idempotency-key', 'order-4711']
    const first = answerOf(await run(words))
    expect(answerOf(await run(words))).toEqual(first)
    const together = await Promise.all(Array.from({ length: 4 }, () => run([...ada('Together'), '--idempotency-key', 'at-once'])))
    expect(new Set(together.map((ran) => answerOf(ran).LeadID)).size).toBe(1)
    expect([await leads('Once'), await leads('Together')]).toEqual([1, 1])
  })

  test('used for something else is a conflict', async () => {
    answerOf(await run([...ada('First'), '--idempotency-key', 'taken']))
    const { code, out, err } = await run([...ada('Second'), '--idempotency-key', 'taken'])
    expect({ code, out }).toEqual({ code: 5, out: '' })
    expect(err).toBe(
      'crm: This --idempotency-key was used with another operation or input. [conflict]\n  Use a new key for each new call, and the same key only to repeat a call.\n',
    )
  })

  test('of the wrong form is refused before anything is opened', async () => {
    const empty = await temporaryFolder()
    for (const key of ['', 'two words', 'k'.repeat(256), 'schlüssel', 'tab\there']) {
      const { code, out, err } = await crm([...ada('Never'), '--idempotency-key', key], { cwd: empty })
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err).toBe('crm: --idempotency-key must be 1 to 255 visible characters without spaces. [invalid_input]\n')
    }
    expect(readdirSync(empty)).toEqual([])
  })

  test('shows a secret only the first time', async () => {
    const words = ['create_key', '--idempotency-key', 'the-key']
    const { Key, ...first } = answerOf(await run(words))
    expect(Key).toMatch(/^crm_/)
    expect(answerOf(await run(words))).toEqual({ ...first, Key: null, Hint: expect.any(String) })
  })
})

describe('--dry-run', () => {
  test('says what would be written, and writes nothing', async () => {
    const folder = await temporaryFolder()
    const tried = answerOf(await crm([...ada('Tried'), '--dry-run'], { cwd: folder }))
    expect(tried).toMatchObject({ DryRun: true, WouldWrite: { LeadID: null, LastName: 'Tried' }, Difference: { LastName: { From: null, To: 'Tried' } } })
    expect(answerOf(await crm(['get_many_leads'], { cwd: folder }))).toMatchObject({ Records: [] })
    expect(answerOf(await crm(['get_many_changes'], { cwd: folder }))).toMatchObject({ Records: [] })
  })

  test('refuses what would be refused', async () => {
    expect((await run(['delete_lead', '--LeadID', 'nobody', '--dry-run'])).code).toBe(4)
    expect((await run(['create_a_lead', '--dry-run'])).code).toBe(2)
  })
})

test('only what writes takes them', async () => {
  for (const flag of [['--dry-run'], ['--idempotency-key', 'k']]) {
    const { code, err } = await run(['get_many_leads', ...flag])
    expect([code, err]).toEqual([2, expect.stringContaining(`get_many_leads has no flag ${flag[0]}.`)])
  }
  const [read, write] = [OPERATIONS.find(({ effect }) => effect === 'read'), OPERATIONS.find(({ effect }) => effect === 'delete')]
  expect((await run([read?.id ?? '', '--help'])).out).not.toContain('--dry-run')
  expect((await run([write?.id ?? '', '--help'])).out).toMatch(/--idempotency-key <key> .*[\s\S]*--dry-run /)
})

test('a write on the command line is a line of the audit', async () => {
  const { LeadID } = answerOf(await run([...ada('Seen'), '--idempotency-key', 'seen-1']))
  const { Records } = answerOf(await run(['get_many_changes', '--Filters', JSON.stringify({ RecordID: LeadID })])) as { Records: unknown[] }
  expect(Records).toMatchObject([
    { Operation: 'create_a_lead', Transport: 'cli', KeyID: null, Outcome: 'ok', IdempotencyKey: 'seen-1', EventType: 'lead.created' },
  ])
})
