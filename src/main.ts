#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { createDoors } from './doors.ts'
import { runCli } from './transports/cli/cli.ts'
import { processIo } from './transports/cli/io.ts'
import { printError } from './transports/cli/refusal.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const io = processIo(process.env, (error) => {
  process.exitCode = printError(io, error)
})

const code = await runCli(process.argv.slice(2), createDoors(version), io)
// What could not be written has failed, whatever came of the rest.
process.exitCode ||= code
