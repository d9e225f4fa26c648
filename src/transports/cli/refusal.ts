import { WRITE_OPTIONS } from '../../contract/call-words.ts'
import { CrmError, type Fault, problemOf } from '../../contract/errors.ts'
import { EXIT_CODES } from '../../contract/exit-codes.ts'
import type { Operation } from '../../contract/operation.ts'
import { inputsOf, isInput } from './flags.ts'
import type { Io } from './io.ts'
import { paintFor } from './paint.ts'
import { tamed } from './text.ts'

/** What a refusal is about, and how it is to be shown. */
export interface Refused {
  readonly operation?: Operation | undefined
  /** As a problem, for programs. */
  readonly asJson?: boolean
  /** Whether the command takes an idempotency key. */
  readonly takesKey?: boolean
}

/** Says what went wrong, every fault and what to do, and resolves to the exit code. */
export function printError({ stderr, env }: Pick<Io, 'stderr' | 'env'>, error: unknown, { operation, asJson = false, takesKey = false }: Refused = {}): number {
  const known = error instanceof CrmError ? error : new CrmError('internal', (error as Error)?.message ?? String(error), { cause: error })
  if (asJson) {
    const { hint, requestId, ...problem } = problemOf(known, known.requestId ?? '')
    const more = { ...(requestId !== '' && { requestId }), ...(hint !== undefined && { hint: ofTheClient(hint, takesKey) }) }
    stderr.write(`${JSON.stringify({ ...problem, ...more })}\n`)
  } else {
    const paint = paintFor(stderr, env)
    const lines = [...sayings(known, operation), ...(known.hint === undefined ? [] : [known.hint])].map((line) => tamed(inTheShell(line, known, takesKey)))
    stderr.write(
      `${paint.red('crm:')} ${lines[0]} ${paint.dim(`[${known.code}]`)}\n${lines
        .slice(1)
        .map((line) => `  ${line}\n`)
        .join('')}`,
    )
  }
  return EXIT_CODES[known.code]
}

/** What happened, then every fault; a single one is what happened. What the message says of the first is listed anyway. */
function sayings({ message, errors = [] }: CrmError, operation: Operation | undefined): string[] {
  const [first, ...more] = errors
  const isSaid = first !== undefined && message.endsWith(first.message)
  if (isSaid && more.length === 0) return [message.slice(0, -first.message.length) + faultLine(first, operation)]
  const beginning = isSaid ? `${message.slice(0, -first.message.length).replace(/: $/, '')}.` : message.replace(COUNTED, '$1$2.')
  return [beginning, ...errors.map((fault) => faultLine(fault, operation))]
}

const COUNTED = /^([^:]+: ).* There are (\d+ faults(?: or more)?)(?: in all)?\.$/s

/** A fault, pointing at the flag that it is about. */
function faultLine({ field, message, expected, didYouMean }: Fault, operation: Operation | undefined): string {
  const at = flagOf(field, operation)
  const [, rest] = message.startsWith(`${field} `) ? ['', message.slice(field.length + 1)] : []
  const near = didYouMean === undefined ? undefined : nearFlag(field, didYouMean, operation)
  const more = [expected && `expected: ${expected}`, near && `did you mean ${near}?`].filter(Boolean)
  return `${rest === undefined ? `${at}: ${message}` : `${at} ${rest}`}${more.length > 0 ? ` (${more.join('; ')})` : ''}`
}

const isWriteOption = (name: string): name is keyof typeof WRITE_OPTIONS => Object.hasOwn(WRITE_OPTIONS, name)

/** An input as its flag; items of a list by their place. Whatever is no flag keeps its name. */
function flagOf(field: string, operation: Operation | undefined): string {
  const [name = '', ...rest] = field.split('.')
  if (!operation || !Object.hasOwn(inputsOf(operation), name)) return isWriteOption(field) ? WRITE_OPTIONS[field].flag : field
  return `--${name}${rest.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('')}`
}

/** What was meant in the place of a name, where that is a flag; a value and an item of a list are meant as they are. */
function nearFlag(field: string, name: string, operation: Operation | undefined): string {
  const inner = field.split('.').slice(0, -1)
  if (/\.\d+$/.test(field)) return name
  const beside = [...inner, name].join('.')
  const flag = flagOf(operation && !isInput(beside, operation) && isInput(name, operation) ? name : beside, operation)
  return inner.length === 0 || flag.startsWith('--') ? flag : name
}

/** What the core says about HTTP, in the words of the command line. */
const SHELL: readonly (readonly [RegExp, string])[] = [
  [/GET \/v1\/operations\/(\w+)/, 'crm $1 --help'],
  [/GET \/v1\/operations lists/, 'crm --help lists'],
  [/Send (?:a valid key as: |the header )Authorization: Bearer KEY\.?/, 'Set CRM_KEY to a valid key, or sign in with: crm login URL'],
  [/Idempotency-Key/, '--idempotency-key'],
  [/Repeat the call without a token/, 'Run the command without --confirmation'],
  [/\bLeave (Cursor|After) out/, 'Leave --$1 out'],
]

/** What the client that calls a server says about its own options. */
const CLIENT: typeof SHELL = [
  [/The service is not at baseUrl:/, 'The server is not at this address:'],
  [/, or does baseUrl lead elsewhere\?/, ', or does the address of the server lead elsewhere?'],
  [/Give the address it leads to as baseUrl\./, 'Give the address it leads to as --url or CRM_URL, or sign in there with: crm login URL'],
]
const REPEAT_WITH_KEY = /Repeat it with idempotencyKey: '([^']*)' to/

/** The options of the client are always shown as flags; those of the service stay as they are in --output json. */
function ofTheClient(text: string, takesKey: boolean): string {
  const again = text.replace(REPEAT_WITH_KEY, `Run the same command again${takesKey ? ' with --idempotency-key $1' : ''} to`)
  return CLIENT.reduce((message, [pattern, words]) => message.replace(pattern, words), again)
}

function inTheShell(text: string, { plan }: CrmError, takesKey: boolean): string {
  const confirmed = plan?.Token
    ? text.replace(/repeat the call with its token as [\w-]+/, `run the same command again with --confirmation ${plan.Token}`)
    : text
  return SHELL.reduce((message, [pattern, words]) => message.replace(pattern, words), ofTheClient(confirmed, takesKey))
}
