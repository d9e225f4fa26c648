import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { CrmError } from '../../contract/errors.ts'
import { Ended, INTERRUPTED } from './ended.ts'
import type { Io } from './io.ts'
import { parseJson } from './values.ts'

/** How long to wait for standard input before saying so. */
const HINT_AFTER_MS = 2000

/** All of standard input. */
export async function readStandardInput({ stdin, stderr }: Io): Promise<string> {
  // Some programs run commands with an open pipe that is never written to.
  const waiting = setTimeout(() => stderr.write('crm: Waiting for the input on standard input. Without any, run with < /dev/null\n'), HINT_AFTER_MS)
  try {
    return await text(stdin)
  } finally {
    clearTimeout(waiting)
  }
}

/**
 * The whole input: what --json says, or what is on standard input. That is read without being asked for only where an input is needed
 * and none was given: programs often run commands with an open pipe that is never written to.
 */
export async function readWhole(io: Io, json: string | undefined, isNeeded: boolean): Promise<unknown> {
  if (json !== undefined && json !== '-') return parseJson(json, '--json')
  if (json === undefined && !(isNeeded && (io.input === 'pipe' || io.input === 'file'))) return {}
  const input = await readStandardInput(io)
  return json === undefined && input.trim() === '' ? {} : parseJson(input, 'Standard input')
}

/** Asks a person, and resolves to what they type; undefined where they have nothing to say, as with Ctrl-D. */
export function ask({ stdin, stderr }: Io, question: string): Promise<string | undefined> {
  const lines = createInterface({ input: stdin, output: stderr, terminal: true })
  return new Promise((resolve, reject) => {
    // Whichever comes first counts: an answer and Ctrl-C close it too.
    lines.on('SIGINT', () => {
      reject(stopped(stderr))
      lines.close()
    })
    lines.question(question, (answer) => {
      resolve(answer.trim())
      lines.close()
    })
    lines.on('close', () => resolve(undefined))
  })
}

/** Goes on only where a person says yes. */
export async function askToGoOn(io: Io, question: string, otherwise = 'Nothing was done.'): Promise<void> {
  const answer = await ask(io, `${question} [y/N] `)
  if (answer === undefined) io.stderr.write('\n')
  if (!/^y(es)?$/i.test(answer ?? '')) throw new CrmError('conflict', `It was not confirmed. ${otherwise}`)
}

function stopped(stderr: Io['stderr']): Ended {
  stderr.write('\ncrm: Stopped. Nothing was done.\n')
  return new Ended(INTERRUPTED)
}

const [CTRL_C, CTRL_D, BACKSPACE, DELETE] = ['\u0003', '\u0004', '\b', '\u007f']

/** Asks a person for a secret, without showing it. */
export function askSecretly({ stdin, stderr }: Io, question: string): Promise<string> {
  // The echo ends before the question is shown, so that an immediate answer is not shown either.
  stdin.setRawMode?.(true)
  stderr.write(question)
  stdin.resume()
  return new Promise((resolve, reject) => {
    let typed = ''
    const end = () => {
      stdin.removeListener('data', hear)
      stdin.removeListener('end', finish)
      stdin.setRawMode?.(false)
      stdin.pause()
    }
    const finish = () => {
      end()
      stderr.write('\n')
      resolve(typed.trim())
    }
    const hear = (chunk: string | Buffer) => {
      for (const character of chunk.toString()) {
        if (character === '\r' || character === '\n' || character === CTRL_D) return finish()
        if (character === CTRL_C) {
          end()
          return reject(stopped(stderr))
        }
        typed = character === BACKSPACE || character === DELETE ? typed.slice(0, -1) : typed + character
      }
    }
    stdin.on('data', hear)
    stdin.on('end', finish)
  })
}
