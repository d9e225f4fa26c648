#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { createApp } from './app/app.ts'
import { CrmError } from './contract/errors.ts'
import { runCli } from './transports/cli/cli.ts'
import { processIo } from './transports/cli/io.ts'
import { printError } from './transports/cli/refusal.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const io = processIo(process.env, (error) => {
  // `internal`, so that callers do not retry: the write may have been executed although its answer could not be printed.
  const message = `The output could not be written: ${error instanceof Error ? error.message : error}`
  process.exitCode = printError(io, new CrmError('internal', message, { hint: 'What was asked for may have been done all the same.', cause: error }))
})

const code = await runCli(process.argv.slice(2), createApp(version), io)
// Output that could not be written is a failure, even if the command succeeded.
process.exitCode ||= code
