#!/usr/bin/env node
// In a fresh clone the command is not built yet. npm links to this file, which is there from the start, so that it is found later.
import { existsSync } from 'node:fs'

if (existsSync(new URL('../dist/main.js', import.meta.url))) await import('../dist/main.js')
else {
  process.stderr.write('crm is not built yet. Build it with: npm install && npm run build\n')
  process.exitCode = 1
}
