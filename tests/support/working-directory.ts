import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

// Each test file starts in an empty folder: commands use ./data and ./crm.config.json by default, and `npm start` creates ./data in the
// clone. The folder is that of the worker and outlives the file, because esbuild goes on using the folder in which it was loaded.
const before = process.cwd()
const folder = join(homedir(), '..', String(process.pid))
mkdirSync(folder, { recursive: true })
process.chdir(folder)

afterAll(() => {
  process.chdir(before)
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
})
