import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connect } from 'crm-connector'
import { type Connection, conformance } from 'crm-connector/testing'
import { startNotebook } from './notebook.ts'

const TOKEN = 'notebook-token'
const COMMAND = join(dirname(fileURLToPath(import.meta.resolve('crm-connector'))), 'main.js')
const PACKAGE = fileURLToPath(new URL('index.js', import.meta.url))

conformance({ describe, test, beforeAll: before, afterAll: after }, 'Notebook', open)

/** The service over two Notebooks, one for each of two workspaces. */
async function open(): Promise<Connection> {
  const folder = await mkdtemp(join(tmpdir(), 'notebook-'))
  const [first, second] = [await startNotebook(TOKEN), await startNotebook(TOKEN)]
  const close = () => Promise.all([first.close(), second.close(), rm(folder, { recursive: true, force: true })])
  return serve(folder, first.url, second.url, close).catch(async (error: unknown) => {
    await close()
    throw error
  })
}

/** Starts the service; `closed` is called after it has ended. */
async function serve(folder: string, first: string, second: string, closed: () => Promise<unknown>): Promise<Connection> {
  const adminKey = `crm_${'0'.repeat(40)}`
  const environment = { ...process.env, CRM_PLATFORM: `package:${PACKAGE}:${first}`, CRM_INDEX_TOKEN: TOKEN, CRM_ADMIN_KEY: adminKey, CRM_PORT: '0' }
  await writeFile(join(folder, 'crm.config.json'), JSON.stringify({ workspaces: { second: { platform: `package:${PACKAGE}:${second}` } } }))
  const how = { cwd: folder, env: environment }
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, 'workspaces', 'add', 'second', '--output', 'json'], how)
  const { Key: otherAdminKey } = JSON.parse(stdout) as { Key: string }

  const service = spawn(process.execPath, [COMMAND, 'serve'], { ...how, stdio: ['ignore', 'pipe', 'inherit'] })
  const baseUrl = await listening(service)
  const signIn = (key: string) => connect({ baseUrl, key })
  const makePlatformUser = async (workspace: 'first' | 'second') => {
    const answer = await fetch(`${workspace === 'first' ? first : second}/users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: '{}',
    })
    return ((await answer.json()) as { id: string }).id
  }
  for (const [key, workspace] of [
    [adminKey, 'first'],
    [otherAdminKey, 'second'],
  ] as const) {
    const { UserID } = await signIn(key).users.getCurrent()
    await signIn(key).users.update({ UserID, FieldsToUpdate: { PlatformUserID: await makePlatformUser(workspace) } })
  }
  return {
    adminKey,
    otherAdminKey,
    signIn,
    makePlatformUser,
    // What no CRM can do: transactions, undoing a delete, erasing, kept counters, knowing ids and times beforehand.
    lacks: ['atomic', 'restore', 'erase', 'definitions', 'own fields', 'maintained counters', 'predictable dry run'],
    async close() {
      service.kill()
      await once(service, 'exit')
      await closed()
    },
  }
}

/** The address that the service prints when it is ready. */
function listening(service: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    service.once('exit', () => reject(new Error(`The service did not start: ${text}`)))
    service.stdout?.on('data', (chunk) => {
      text += String(chunk)
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? []
      if (url !== undefined) resolve(url)
    })
  })
}
