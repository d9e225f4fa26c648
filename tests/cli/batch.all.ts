import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { answerOf, crm, type Ran, shell } from '../support/crm.ts'

const cwd = mkdtempSync(join(tmpdir(), 'crm-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const lead = (LastName: string) => ({ Operation: 'create_a_lead', Input: { FirstName: 'Ada', LastName } })
const gone = { Operation: 'delete_lead', Input: { LeadID: 'nobody' } }
const nameless = { Operation: 'create_a_lead', Input: {} }

const run = (words: readonly string[], input?: string) => crm(words, { cwd, ...(input !== undefined && { input }) })
const leads = async (LastName: string) => (answerOf(await run(['get_many_leads', '--Filters', JSON.stringify({ LastName })])).Records as unknown[]).length

type Results = readonly { readonly Status: number; readonly Result?: Record<string, unknown>; readonly ChangeID?: string; readonly Replayed?: true }[]
const resultsOf = ({ out }: Pick<Ran, 'out'>) => (JSON.parse(out) as { Results: Results }).Results

/** A file with a batch in it. */
function fileOf(batch: unknown): string {
  const name = `batch-${Math.random()}.json`
  writeFileSync(join(cwd, name), typeof batch === 'string' ? batch : JSON.stringify(batch))
  return name
}

describe('crm batch', () => {
  test('carries out the calls of a file, or of standard input', async () => {
    const batch = { Operations: [lead('Filed'), { Operation: 'Get Current User' }] }
    for (const ran of [
      await run(['batch', fileOf(batch)]),
      await run(['batch', '-'], JSON.stringify(batch)),
      await run(['batch'], JSON.stringify(batch)),
      await shell(`echo '${JSON.stringify(batch)}' | crm batch`, { cwd }),
    ]) {
      answerOf(ran)
      expect(resultsOf(ran)).toMatchObject([
        { Status: 200, Result: { LastName: 'Filed' }, ChangeID: expect.any(String) },
        { Status: 200, Result: { Role: 'admin' } },
      ])
    }
    expect(await leads('Filed')).toBe(4)
  })

  test('with deletes waits for one confirmation, and is done with its token', async () => {
    const made = resultsOf(await run(['batch', fileOf({ Operations: [lead('Planned'), lead('Planned')] })]))
    const file = fileOf({ Operations: made.map(({ Result }) => ({ Operation: 'delete_lead', Input: { LeadID: Result?.LeadID } })) })
    const refused = await run(['batch', file, '--confirm', '--output', 'json'])
    const { plan } = JSON.parse(refused.err) as { plan: { Token: string; Operation: string; Preview: object } }
    expect([refused.code === 0, plan]).toMatchObject([false, { Operation: 'batch', Preview: { Deletes: 2 } }])
    expect(await leads('Planned')).toBe(2)
    const done = await run(['batch', file, '--confirmation', plan.Token])
    expect(resultsOf(done)).toMatchObject([{ Status: 200 }, { Status: 200 }])
    expect(await leads('Planned')).toBe(0)
  })

  test('with too many calls is refused before they are judged, and with far too many before they are parsed', async () => {
    const calls = (count: number) => `{"Operations":[${'{},'.repeat(count)}{}]}`
    const many = await run(['batch', '-'], calls(400_000))
    expect([many.code, many.err]).toEqual([2, expect.stringContaining('Operations has more than 1000 members.')])
    const more = await run(['batch', fileOf(`${calls(1_000_000)} no JSON`)])
    expect([more.code, more.err]).toEqual([2, expect.stringContaining('holds more than 1,000,000 values. [too_large]')])
  })

  test('prints what became of each, and exits as the first that was refused', async () => {
    const ran = await run(['batch', fileOf({ Operations: [lead('Partly'), gone, nameless] })])
    expect(resultsOf(ran).map(({ Status }) => Status)).toEqual([200, 404, 400])
    expect([ran.code, ran.err]).toEqual([4, 'crm: Refused: 2 of 3 calls. Call 1: There is no Lead "nobody", or none that you may see. [not_found]\n'])
    expect(await leads('Partly')).toBe(1)
    expect((await run(['batch', fileOf({ Operations: [nameless, gone] })])).code).toBe(2)
  })

  test('that is atomic exits as the one that was to blame', async () => {
    const ran = await run(['batch', fileOf({ Atomic: true, Operations: [lead('Never'), gone] })])
    expect(resultsOf(ran).map(({ Status }) => Status)).toEqual([409, 404])
    expect([ran.code, ran.err]).toEqual([4, expect.stringContaining('Refused: 2 of 2 calls. Call 1: There is no Lead')])
    expect(await leads('Never')).toBe(0)
  })

  test('is carried out once for each key, and not at all when it is only tried', async () => {
    const file = fileOf({ Operations: [lead('Once'), lead('Once')] })
    const tried = await run(['batch', file, '--dry-run', '--idempotency-key', 'k'])
    expect(resultsOf(tried)).toMatchObject([{ Result: { DryRun: true, WouldWrite: { LastName: 'Once' } } }, { Result: { DryRun: true } }])
    expect(await leads('Once')).toBe(0)
    const [first, again] = [await run(['batch', file, '--idempotency-key', 'k']), await run(['batch', file, '--idempotency-key', 'k'])]
    expect(resultsOf(again)).toEqual(resultsOf(first).map((result) => ({ ...result, Replayed: true })))
    expect(await leads('Once')).toBe(2)
  })

  test.concurrent.each([
    ['a file that is not there', ['nothing.json'], 4, /^crm: nothing\.json cannot be read: ENOENT.* \[not_found\]\n$/],
    ['a folder', ['.'], 4, /^crm: \. cannot be read: EISDIR/],
    ['a file that is no JSON', [fileOf('{')], 2, /^crm: batch-.*\.json is not JSON: .* \[invalid_input\]\n$/],
    ['nothing at all', [], 2, /^crm: Standard input is not JSON/],
    [
      'something else',
      [fileOf({ operations: [] })],
      2,
      /\n {2}operations: There is no field called "operations"\. \(expected: Operations, Atomic, BatchID; did you mean Operations\?\)\n/,
    ],
    ['a word too many', ['a.json', 'b.json'], 2, /^crm: batch was given more words than it takes\./],
    [
      'a key of the wrong form',
      [fileOf({ Operations: [gone] }), '--idempotency-key', 'two words'],
      2,
      /^crm: --idempotency-key must be 1 to 255 visible characters/,
    ],
  ] as const)('refuses %s', async (_, words, exit, says) => {
    const { code, out, err } = await run(['batch', ...words])
    expect({ code, out }).toEqual({ code: exit, out: '' })
    expect(err).toMatch(says)
  })

  test('shows in its help what to write, and that can be pasted', async () => {
    const { out } = await run(['batch', '--help'])
    const [, example = ''] = /^ {2}(\{.*\})$/m.exec(out) ?? []
    const ran = await run(['batch'], example)
    expect([ran.code, resultsOf(ran).map(({ Status }) => Status)]).toEqual([0, [200, 200]])
  })
})
