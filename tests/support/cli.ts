import { PassThrough, Writable } from 'node:stream'
import { createApp } from '../../src/app/app.ts'
import type { App } from '../../src/transports/cli/app.ts'
import { runCli } from '../../src/transports/cli/cli.ts'
import type { Io, Sink } from '../../src/transports/cli/io.ts'
import type { Ran } from './crm.ts'

/** The environment of a command that runs in this process. */
export interface CommandOptions {
  readonly env?: { readonly [variable: string]: string }
  /** Standard input: a pipe with this text, or `open` for a pipe without input or end; empty unless given. */
  readonly input?: string | 'open'
  /** Makes the output a terminal of this width; no terminal unless given. */
  readonly columns?: number
  /** What a user types on that terminal, one entry per prompt. */
  readonly typed?: readonly string[]
  readonly app?: Partial<App>
}

/** A running command. */
export interface Running {
  readonly ended: Promise<Ran>
  readonly out: () => string
  readonly err: () => string
  /** Like Ctrl-C. */
  readonly interrupt: () => void
  /** Like the end of the process that reads the output (EPIPE). */
  readonly leave: () => void
}

/** Runs a command to its end in this process. */
export const runHere = (words: readonly string[], how: CommandOptions = {}): Promise<Ran> => startHere(words, how).ended

/** Starts a command in this process. */
export function startHere(words: readonly string[], { env = {}, input, columns, typed = [], app = {} }: CommandOptions = {}): Running {
  const [stdout, stderr] = [sink(columns), sink(columns)]
  const stdin = Object.assign(new PassThrough(), { isTTY: columns !== undefined && input === undefined, setRawMode: () => {} })
  if (input !== undefined && input !== 'open') stdin.end(input)
  const gone = new AbortController()
  const listeners = new Set<() => void>()
  // Input comes only after its prompt.
  const answers = [...typed]
  stderr.on('question', () => {
    const answer = answers.shift()
    if (answer !== undefined) setTimeout(() => stdin.write(answer), 5)
  })
  const io: Io = {
    stdin,
    stdout,
    stderr,
    env,
    input: input === undefined ? (columns === undefined ? 'nothing' : 'terminal') : 'pipe',
    unread: gone.signal,
    interrupted(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    abandon() {},
  }
  return {
    ended: runCli(words, { ...createApp('0.0.0-test', env), ...app }, io).then((code) => ({ code, out: stdout.text(), err: stderr.text() })),
    out: stdout.text,
    err: stderr.text,
    interrupt: () => {
      for (const listener of listeners) listener()
    },
    leave: () => gone.abort(),
  }
}

function sink(columns: number | undefined): Sink & Writable & { text(): string } {
  let written = ''
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      written += chunk.toString()
      if (/[:\]] $/.test(chunk.toString())) stream.emit('question')
      done()
    },
  })
  return Object.assign(stream, { ...(columns !== undefined && { isTTY: true, columns }), text: () => written })
}
