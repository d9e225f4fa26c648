#!/usr/bin/env node
// npm links to this file, which is there from the start: in a fresh clone the command is not built yet.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const main = new URL('../dist/main.js', import.meta.url)

if (!existsSync(main)) {
  process.stderr.write('Building crm for the first time …\n')
  // Standard output is for what the command prints.
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL('../scripts/build.js', import.meta.url))], { stdio: ['ignore', 2, 2] })
  if (status !== 0) {
    process.stderr.write('crm could not be built. Install what it needs first, with npm install in its folder.\n')
    process.exit(1)
  }
}
await import(main)
