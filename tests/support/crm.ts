import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

export const main = join(import.meta.dirname, '../../dist/main.js')

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface HowToRun {
  readonly cwd: string
  readonly env?: { readonly [variable: string]: string }
  /** Standard input; /dev/null unless given. */
  readonly input?: string
  /** Flags for Node itself. */
  readonly node?: readonly string[]
}

/** The environment of a command, without the variables of the machine that runs the tests. */
export const cleanEnvironment = (more: HowToRun['env'] = {}) => ({ PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...more })

/** Starts the built command. */
export function spawnCrm(words: readonly string[], { cwd, env, input, node = [] }: HowToRun): ChildProcess {
  const child = spawn(process.execPath, [...node, main, ...words], {
    cwd,
    env: cleanEnvironment(env),
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.on('error', () => {}).end(input)
  return child
}

/** Runs a command to its end. */
export function crm(words: readonly string[], how: HowToRun): Promise<Ran> {
  return finished(spawnCrm(words, how))
}

/** Runs a line in a shell in which `crm` is the built command. */
export function shell(line: string, { cwd, env }: HowToRun): Promise<Ran> {
  const defined = `crm() { ${JSON.stringify(process.execPath)} ${JSON.stringify(main)} "$@"; }\n${line}`
  return finished(spawn('bash', ['-c', defined], { cwd, env: cleanEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'] }))
}

function finished(child: ChildProcess): Promise<Ran> {
  const [out, err] = [collected(child.stdout), collected(child.stderr)]
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out: out(), err: err() }))
  })
}

/** Collects the output of a stream; returns it as read so far. */
export function collected(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = []
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString()
}

/** A line of progress, of which a slow machine sees some. */
const PROGRESS = /^(?: *\d+% {2})?\S+ [\d,/]+ \w+, [\d,]+\/s(?:, [\d:]+ left)?\n/gm

/** The JSON line printed by a successful command. */
export function answerOf({ code, out, err }: Ran): Record<string, unknown> {
  if (code !== 0 || err.replace(PROGRESS, '') !== '' || !/^[^\n]+\n$/.test(out)) throw new Error(`Not one line of success: exit ${code}\n${out}\n${err}`)
  return JSON.parse(out) as Record<string, unknown>
}
