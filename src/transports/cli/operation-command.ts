import { fstatSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { CrmError } from '../../contract/errors.ts'
import { IDEMPOTENCY_KEY, isIdempotencyKey } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { localAdmin } from '../../core/authenticate.ts'
import { execute } from '../../core/execute.ts'
import { type Doors, onStore, settingsOf, withSettings } from './doors.ts'
import { printResult } from './output.ts'

/** How long to wait for standard input before saying so. */
const PATIENCE_MS = 2000

interface Property {
  readonly type?: string | readonly string[]
  readonly description?: string
}

/** One operation as a command, its flags made from its input schema. */
export function operationCommand(program: Command, doors: Doors, operation: Operation, typed: string | undefined): void {
  const { properties, required = [] } = operation.input as unknown as { properties: Record<string, Property>; required?: string[] }
  const command = withSettings(program.command(operation.id), doors)
    .description(operation.summary)
    .option('--json <object>', 'the whole input as JSON, or - to read it from standard input')
    .option('--workspace <name>', 'the workspace to work in', 'default')
    .addHelpText('after', `\nExample:\n  crm ${operation.id} ${exampleFlags(operation)}`)
    .action(async (_, self: Command) => {
      const given = self.opts<Record<string, unknown>>()
      const input = await readInput(given, properties)
      const { result } = await onStore(doors, settingsOf(self, doors), async (service) =>
        execute(service, {
          operation: operation.id,
          input,
          caller: await localAdmin(service, given.workspace as string),
          transport: 'cli',
          idempotencyKey: given.idempotencyKey as string | undefined,
          dryRun: given.dryRun === true,
        }),
      )
      printResult(result)
    })
  if (operation.effect !== 'read') idempotencyFlags(command)
  if (typed !== undefined && typed !== operation.id) command.alias(typed)
  for (const [name, property] of Object.entries(properties)) {
    const help = [required.includes(name) ? 'required' : '', property.description ?? ''].filter(Boolean).join('; ')
    const value = isType(property, 'boolean') ? '[true|false]' : `<${valueName(property)}>`
    command.option(`--${name} ${value}`, help)
  }
}

/** What every write takes beside its input. */
export function idempotencyFlags(command: Command): void {
  command
    .option('--idempotency-key <key>', 'makes it safe to repeat: with the same key it is carried out once', readKey)
    .option('--dry-run', 'only say what would be written')
}

function readKey(key: string): string {
  if (isIdempotencyKey(key)) return key
  throw new CrmError('invalid_input', `--idempotency-key must be ${IDEMPOTENCY_KEY}.`)
}

/** The input from --json or from what is piped in, with the flags on top. */
async function readInput(given: Record<string, unknown>, properties: Record<string, Property>): Promise<unknown> {
  const flags = Object.entries(properties).flatMap(([name, property]) => {
    const value = given[name]
    return value === undefined ? [] : [[name, readFlag(name, value, property)]]
  })
  const whole = await readWhole(given.json, flags.length === 0 && Object.keys(properties).length > 0 && isPiped())
  return typeof whole === 'object' && whole !== null && !Array.isArray(whole) ? { ...whole, ...Object.fromEntries(flags) } : whole
}

async function readWhole(json: unknown, piped: boolean): Promise<unknown> {
  if (typeof json === 'string' && json !== '-') return parseJson(json, '--json')
  if (json === undefined && !piped) return {}
  const input = await readStandardInput()
  return json === undefined && input.trim() === '' ? {} : parseJson(input, 'Standard input')
}

export async function readStandardInput(): Promise<string> {
  // Some who run commands leave an open pipe that nobody writes to.
  const waiting = setTimeout(() => process.stderr.write('crm: Waiting for the input on standard input. Without any, run with < /dev/null\n'), PATIENCE_MS)
  const input = await text(process.stdin)
  clearTimeout(waiting)
  return input
}

/** A terminal and /dev/null are not piped in; a pipe and a file are. */
function isPiped(): boolean {
  try {
    const input = fstatSync(0)
    return input.isFIFO() || input.isFile() || input.isSocket()
  } catch {
    return false
  }
}

/** A flag is a text; its schema says what it is meant to be. What does not fit is left for the contract to refuse. */
function readFlag(name: string, value: unknown, property: Property): unknown {
  if (typeof value !== 'string') return value
  if (isType(property, 'boolean')) return value === 'true' ? true : value === 'false' ? false : value
  if (isType(property, 'number') || isType(property, 'integer')) return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value
  if (isType(property, 'object')) return parseJson(value, `--${name}`)
  if (isType(property, 'array')) return value.trimStart().startsWith('[') ? parseJson(value, `--${name}`) : value.split(',').map((item) => item.trim())
  return value
}

export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CrmError('invalid_input', `${where} is not JSON: ${(error as Error).message}`)
  }
}

function isType({ type }: Property, wanted: string): boolean {
  return typeof type === 'string' ? type === wanted : (type?.includes(wanted) ?? false)
}

function valueName(property: Property): string {
  if (isType(property, 'object')) return 'json'
  if (isType(property, 'array')) return 'a,b,…'
  return isType(property, 'number') || isType(property, 'integer') ? 'number' : 'text'
}

function exampleFlags(operation: Operation): string {
  return Object.entries(operation.example as object)
    .map(([name, value]) => `--${name} ${typeof value === 'string' ? quoted(value) : typeof value === 'object' ? quoted(JSON.stringify(value)) : value}`)
    .join(' ')
}

const quoted = (text: string) => (/^[\w@.+:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
