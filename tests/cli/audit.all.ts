import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { answerOf, crm, type Ran } from '../support/crm.ts'
import { openDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'

interface Report {
  readonly Workspace: string
  readonly Verified: boolean
  readonly Lines: number
  readonly Head: string
  readonly Unsealed: number
  readonly Released: number
  readonly Faults: readonly { readonly Number: number; readonly ChangeID: string | null; readonly Fault: string }[]
}

const reportsOf = ({ out }: Pick<Ran, 'out'>) => (JSON.parse(out) as { Workspaces: Report[] }).Workspaces

/** A folder with a store in it that has five lines in its audit, one of them of a refusal. */
async function written(): Promise<{ cwd: string; verify: (...words: string[]) => Promise<Ran> }> {
  const cwd = await temporaryFolder()
  const Operations = [
    ...['Ada', 'Grace', 'Edsger', 'Barbara'].map((FirstName) => ({ Operation: 'create_a_lead', Input: { FirstName, LastName: 'x' } })),
    { Operation: 'delete_lead', Input: { LeadID: 'nobody' } },
  ]
  await crm(['batch'], { cwd, input: JSON.stringify({ Operations }) })
  return { cwd, verify: (...words) => crm(['audit', 'verify', ...words], { cwd }) }
}

const HEAD = /^6:[\w-]{43}$/

describe('crm audit verify', () => {
  test('goes through the audit of every workspace', async () => {
    const { cwd, verify } = await written()
    answerOf(await crm(['workspaces', 'add', 'sandbox'], { cwd }))
    const whole = { Verified: true, Unsealed: 0, Released: 0, Faults: [] }
    const ran = await verify()
    answerOf(ran)
    expect(reportsOf(ran)).toEqual([
      { Workspace: 'default', ...whole, Lines: 6, Head: expect.stringMatching(HEAD) },
      { Workspace: 'sandbox', ...whole, Lines: 0, Head: '0:' },
    ])
    expect(reportsOf(await verify('--workspace', 'sandbox'))).toMatchObject([{ Workspace: 'sandbox' }])
    const missing = await verify('--workspace', 'nowhere')
    expect([missing.code, missing.err]).toEqual([4, 'crm: There is no workspace "nowhere". [not_found]\n  There are: default, sandbox.\n'])
  })

  test.each<[string, string, { Number: number; Fault: RegExp }[]]>([
    ['a line that was altered', `UPDATE "Change" SET "UserID" = 'somebody else' WHERE "Number" = 2`, [{ Number: 2, Fault: /altered/ }]],
    ['a refusal made to look like a success', `UPDATE "Change" SET "Outcome" = 'ok' WHERE "Number" = 5`, [{ Number: 5, Fault: /altered/ }]],
    [
      'an image that was altered',
      `UPDATE "Change" SET "After" = replace("After", 'Grace', 'Gracie') WHERE "Number" = 2`,
      [{ Number: 2, Fault: /After has been altered/ }],
    ],
    ['an image that is gone', `UPDATE "Change" SET "After" = NULL WHERE "Number" = 3`, [{ Number: 3, Fault: /After is missing/ }]],
    ['a line that is missing', `DELETE FROM "Change" WHERE "Number" = 3`, [{ Number: 3, Fault: /missing/ }]],
    [
      'several faults',
      `DELETE FROM "Change" WHERE "Number" = 2; UPDATE "Change" SET "RequestID" = 'x' WHERE "Number" = 4`,
      [
        { Number: 2, Fault: /missing/ },
        { Number: 4, Fault: /altered/ },
      ],
    ],
  ])('reports %s, and exits with 5', async (_, tampering, faults) => {
    const { cwd, verify } = await written()
    const database = await openDatabase(join(cwd, 'data/crm.db'))
    database.exec(tampering)
    database.close()
    const ran = await verify()
    expect(reportsOf(ran)).toMatchObject([
      { Verified: false, Faults: faults.map(({ Number: number, Fault }) => ({ Number: number, Fault: expect.stringMatching(Fault) })) },
    ])
    const said = faults.length === 1 ? 'there is a fault' : `there are ${faults.length} faults`
    expect([ran.code, ran.err]).toEqual([5, `crm: The audit does not verify: ${said}. [conflict]\n`])
  })

  test('tells by a head written down earlier whether the end was cut off, or all of it written anew', async () => {
    const { cwd, verify } = await written()
    const head = async () => reportsOf(await verify())[0]?.Head ?? ''
    const earlier = await head()
    cpSync(join(cwd, 'data'), join(cwd, 'copy'), { recursive: true })
    answerOf(await crm(['create_a_lead', '--FirstName', 'Later', '--LastName', 'x'], { cwd }))
    const later = await head()
    for (const each of [earlier, later, '0:']) answerOf(await verify('--head', each))

    const behind = await verify('--platform', 'sqlite:copy/crm.db', '--head', later)
    expect([behind.code, reportsOf(behind)[0]?.Faults]).toEqual([5, [{ Number: 6, ChangeID: null, Fault: 'The chain ends here, and once went on to 6.' }]])
    answerOf(await crm(['create_a_lead', '--FirstName', 'Other', '--LastName', 'x', '--platform', 'sqlite:copy/crm.db'], { cwd }))
    const other = await verify('--platform', 'sqlite:copy/crm.db', '--head', later)
    expect([other.code, reportsOf(other)[0]?.Faults]).toMatchObject([5, [{ Number: 6, Fault: expect.stringContaining('rewritten') }]])
    answerOf(await verify('--platform', 'sqlite:copy/crm.db', '--head', earlier))
  })

  test('refuses what is no head, before anything is opened', async () => {
    const cwd = await temporaryFolder()
    for (const head of ['', '5', '5:', '5:short', '0:short', `x:${'0'.repeat(43)}`, '-1:']) {
      const { code, out, err } = await crm(['audit', 'verify', '--head', head], { cwd })
      expect({ head, code, out }).toEqual({ head, code: 2, out: '' })
      expect(err).toMatch(/^crm: --head is not a Head as crm audit verify prints it\. \[invalid_input\]\n {2}It looks like 42:/)
    }
    expect(readdirSync(cwd)).toEqual([])
  })

  test('wants to know whose head it is where there are several workspaces', async () => {
    const { cwd, verify } = await written()
    answerOf(await crm(['workspaces', 'add', 'sandbox'], { cwd }))
    const { code, err } = await verify('--head', '0:')
    expect([code, err]).toEqual([2, expect.stringContaining('A head belongs to one workspace; name the workspace too.')])
    answerOf(await verify('--head', '0:', '--workspace', 'sandbox'))
  })

  test('still verifies once a record was erased', async () => {
    const { cwd, verify } = await written()
    const { Records } = answerOf(await crm(['get_many_leads'], { cwd })) as { Records: { LeadID: string }[] }
    answerOf(await crm(['erase_record', '--RecordType', 'Lead', '--RecordID', Records[0]?.LeadID ?? ''], { cwd }))
    const ran = await verify()
    answerOf(ran)
    expect(reportsOf(ran)).toMatchObject([{ Verified: true, Lines: 6 }])
  })
})

test('crm audit alone says what can be done', async () => {
  const { code, err } = await crm(['audit'], { cwd: await temporaryFolder() })
  expect([code, err]).toEqual([2, expect.stringContaining('verify')])
})
