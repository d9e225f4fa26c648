import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { storeIn } from '../support/crashes.ts'
import { ask } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'

const ada = { FirstName: 'Ada', LastName: 'Lovelace' }

/** Overwrites the root page of a table or an index, as a failing disk would. */
async function damage(path: string, name: string): Promise<void> {
  const [place] = await ask(path, `SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = '${name}'`)
  const { rootpage, page_size } = place as { rootpage: number; page_size: number }
  const file = readFileSync(path)
  file.fill(0xff, (rootpage - 1) * page_size, rootpage * page_size)
  writeFileSync(path, file)
}

/** What a failing call was refused with. */
const problem = async (response: Response) => ({ http: response.status, ...((await response.json()) as Record<string, unknown>) })

describe('a damaged page', () => {
  test('is reported as damage with what to do, for good, and the service goes on with what is sound', async () => {
    const folder = await temporaryFolder()
    const first = await startService(folder)
    const { LeadID } = await first.call('create_a_lead', ada)
    await first.end()
    await damage(storeIn(folder), 'Opportunity')

    const service = await startService(folder)
    const damaged = {
      http: 500,
      code: 'internal',
      retryable: false,
      detail: expect.stringMatching(/store is damaged/),
      hint: expect.stringMatching(/crm doctor.*crm restore/),
    }
    for (let round = 0; round < 5; round++) expect(await problem(await service.post('get_many_opportunities'))).toMatchObject(damaged)
    expect(await service.call('get_many_leads')).toMatchObject({ Records: [{ LeadID }] })
    // A write could spread the damage.
    expect(await problem(await service.post('create_a_lead', ada))).toMatchObject(damaged)
    expect(await problem(await fetch(`${service.url}/readyz`))).toMatchObject({ http: 503, detail: damaged.detail, hint: damaged.hint })
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    expect(await service.end()).toBe(0)
    expect(service.err().match(/"stack"/g)).toHaveLength(1)
    expect(service.err()).not.toMatch(/uncaught/)
  })
})

test('an I/O error while polling for changes of other processes ends nothing, and changes are noticed once the disk answers again', async () => {
  const path = join(await temporaryFolder(), 'crm.db')
  const store = await openSqlite(path)
  onTestFinished(() => store.close())
  await store.addWorkspace('default')
  const listener = vi.fn()
  onTestFinished(store.watch(listener))
  await vi.waitFor(() => expect(listener).toHaveBeenCalled(), { timeout: 60_000 })

  // A directory in the place of the file: every read of it fails.
  const files = [path, `${path}-wal`]
  const handles = readdirSync('/proc/self/fd').flatMap((fd) => files.filter((file) => linkOf(fd) === file).map((file) => ({ fd: Number(fd), file })))
  for (const { fd } of handles) exchange(fd, tmpdir(), 'r')
  listener.mockClear()
  await ask(
    path,
    `INSERT INTO "Workspace" ("Workspace", "WorkspaceID", "Name", "State", "Number", "CreatedDate", "UpdatedDate", "Revision") VALUES (1, 'w', 'second', 'active', 2, 'now', 'now', 1)`,
  )
  await expect.poll(() => store.workspaces().catch((error) => store.classify(error)?.code ?? error)).toBe('platform_unavailable')
  await new Promise((resolve) => setTimeout(resolve, 600))
  expect(listener).not.toHaveBeenCalled()

  for (const { fd, file } of handles) exchange(fd, file, 'r+')
  await expect.poll(() => listener.mock.calls.length).toBeGreaterThan(0)
  expect(await store.workspaces()).toHaveLength(2)
})

function linkOf(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return undefined
  }
}

/** Lets a file descriptor that is in use lead elsewhere. */
function exchange(fd: number, path: string, flags: string): void {
  closeSync(fd)
  const others: number[] = []
  for (let opened = openSync(path, flags); opened !== fd; opened = openSync(path, flags)) others.push(opened)
  for (const other of others) closeSync(other)
}
