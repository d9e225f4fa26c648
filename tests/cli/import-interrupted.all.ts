import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answerOf, collected, crm, type Ran, spawnCrm } from '../support/crm.ts'
import { ask } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'

const ROWS = 12_000

/** A folder with a file of people, some of whom are the same, and none of whom can be told apart by their place. */
async function folderWithLeads(rows = ROWS): Promise<string> {
  const cwd = await temporaryFolder()
  const lines = Array.from(
    { length: rows },
    (_, i) => `First ${i % 7},Last ${i % (rows - 100)},${i % 5 === 0 ? '' : `p${i % (rows - 100)}@example.com`},${i % 50 === 0 ? 'Contacted' : ''}`,
  )
  writeFileSync(join(cwd, 'leads.csv'), `FirstName,LastName,Email,Status\n${lines.join('\n')}\n`)
  return cwd
}

const IMPORT = ['import', 'leads.csv', '--yes']

/** The answer of an import, which shows its mapping beside it. */
const imported = ({ err, ...ran }: Ran) => answerOf({ ...ran, err: err.includes('crm:') ? err : '' })

/** How many leads there are, and how many of them have been contacted. */
async function leadsIn(cwd: string): Promise<{ total: number; contacted: number | undefined }> {
  const { Total, ByStatus } = answerOf(await crm(['get_summary_of_leads'], { cwd })) as { Total: number; ByStatus: { Status: string; Count: number }[] }
  return { total: Total, contacted: ByStatus.find(({ Status }) => Status === 'Contacted')?.Count }
}

/** How many leads are safe in the store by now; none before there is one. */
async function safeIn(cwd: string): Promise<number> {
  const path = join(cwd, 'data/crm.db')
  if (!existsSync(path)) return 0
  const [row] = await ask(path, 'SELECT COUNT(*) AS n FROM "Lead"').catch(() => [])
  return Number(row?.n ?? 0)
}

/** Waits until more leads are safe than were before, or the import has ended. */
async function untilMore(cwd: string, before: number, child: ReturnType<typeof spawnCrm>): Promise<void> {
  while (child.exitCode === null && (await safeIn(cwd)) <= before) await new Promise((resolve) => setTimeout(resolve, 10))
}

test('an import that was killed goes on with the same command, to exactly what the file holds', async () => {
  // Imports that have all ended before they could be killed were too short.
  for (let rows = ROWS; ; rows *= 2) {
    const cwd = await folderWithLeads(rows)
    let killed = 0
    for (let round = 0; round < 3; round++) {
      const before = await safeIn(cwd)
      const child = spawnCrm(IMPORT, { cwd })
      const ended = once(child, 'close')
      await untilMore(cwd, before, child)
      child.kill('SIGKILL')
      const [, signal] = await ended
      if (signal === 'SIGKILL') killed++
    }
    if (killed === 0) continue
    const { Created, AlreadyThere } = imported(await crm(IMPORT, { cwd })) as { Created: number; AlreadyThere: number }
    expect(AlreadyThere).toBeGreaterThan(0)
    expect(Created + AlreadyThere).toBe(rows)
    expect(await leadsIn(cwd)).toEqual({ total: rows, contacted: rows / 50 })
    return expect(answerOf(await crm(['audit', 'verify'], { cwd }))).toMatchObject({ Workspaces: [{ Verified: true }] })
  }
})

test('Ctrl-C stops an import after what is under way, says so, and the same command goes on', async () => {
  // An import that has ended before the signal reaches it was too short.
  for (let rows = ROWS; ; rows *= 2) {
    const cwd = await folderWithLeads(rows)
    const child = spawnCrm(IMPORT, { cwd })
    const err = collected(child.stderr)
    const ended = once(child, 'close')
    await untilMore(cwd, 0, child)
    child.kill('SIGINT')
    const [code, signal] = await ended
    if (code === 0) continue
    expect(signal).toBe('SIGINT')
    expect(err()).toMatch(/\n\ncrm: Stopped\. What was imported is kept: the same command goes on from there\.\n$/)
    expect((await leadsIn(cwd)).total).toBeLessThan(rows)
    expect(imported(await crm(IMPORT, { cwd }))).toMatchObject({ Rejected: 0 })
    return expect(await leadsIn(cwd)).toEqual({ total: rows, contacted: rows / 50 })
  }
})

test('a server that is killed and started again in the middle of an import is waited for', async () => {
  const cwd = await folderWithLeads()
  const first = await startService(cwd)
  const env = { CRM_URL: first.url, CRM_KEY: first.key() }
  const child = spawnCrm(IMPORT, { cwd, env })
  const [out, err] = [collected(child.stdout), collected(child.stderr)]
  const ended = once(child, 'close')
  for (let records = 0; records === 0; ) records = ((await first.call('get_many_leads', { Limit: 1 })).Records as unknown[]).length
  await first.end('SIGKILL')
  const second = await startService(cwd, { env: { CRM_PORT: new URL(first.url).port } })
  expect({ code: (await ended)[0], err: err() }).toEqual({ code: 0, err: expect.not.stringContaining('crm:') })
  expect(JSON.parse(out())).toMatchObject({ Rows: ROWS, Rejected: 0 })
  expect(await second.call('get_summary_of_leads')).toMatchObject({ Total: ROWS })
})
