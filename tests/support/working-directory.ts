import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

// Each test file runs in an empty folder: commands use ./data and ./crm.config.json by default, and `npm start` creates ./data in the clone.
const before = process.cwd()
const folder = mkdtempSync(join(tmpdir(), 'crm-cwd-'))
process.chdir(folder)

afterAll(() => {
  process.chdir(before)
  rmSync(folder, { recursive: true, force: true })
})
