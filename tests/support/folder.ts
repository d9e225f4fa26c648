import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder for one test, removed when the test ends. Concurrent tests must pass their own `onTestFinished`. */
export async function temporaryFolder(atEnd = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A folder inside the project, so that its packages can be imported. */
export async function folderInside(prefix: string): Promise<string> {
  const cache = join(import.meta.dirname, '../../node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, prefix))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
