import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Crm } from '../../contract/client/client.ts'
import { CrmError } from '../../contract/errors.ts'
import { EVENT_PATTERNS } from '../../contract/event-patterns.ts'
import { nearest } from '../../contract/names.ts'
import { quote } from '../../contract/operations.ts'
import { EVENT_TYPES, type Event } from '../../contract/records/event.ts'
import { type Shell, settingsOf } from './app.ts'
import { Ended, INTERRUPTED } from './ended.ts'
import { eventLine, type Who } from './event-line.ts'
import { type Io, write } from './io.ts'
import { offering } from './offers.ts'
import { whereFlags } from './operation-command.ts'
import { formatOf, jsonText, viewOf, withOutput } from './output.ts'
import { placeOf, type Start, startOf } from './tail-start.ts'

/** Shown before what happens, as the tail of a file is. */
const SHOWN_BEFORE = 10

interface Given {
  readonly type: readonly string[]
  readonly since?: Start
  readonly lines?: number
  readonly workspace?: string
}

/** Follows events as they happen. */
export function tailCommand(program: Command, shell: Shell): void {
  const { io } = shell
  const command = withOutput(program.command('tail'), ['json', 'table'])
    .description('Follow what happens to records, as it happens')
    .addOption(
      offering(
        new Option('--type <type>', 'only events of this type, such as lead.created or lead.*; may be given more than once')
          .argParser((type: string, before: readonly string[]) => [...before, knownType(type)])
          .default([], 'all of them'),
        [...EVENT_PATTERNS],
      ),
    )
    .option('--since <when>', 'begin then: 10m, 2h, 3d, a time such as 2026-11-15T09:30:00Z, an EventID, or all', startOf)
    .option('-n, --lines <count>', `begin with so many of the last events; ${SHOWN_BEFORE} unless given`, wholeNumber)
    .addHelpText('after', `\nOn a terminal an event is a line, otherwise JSON. Ctrl-C ends it.\n\nExample:\n  crm tail --type 'lead.*' --since 10m`)
    .action(async (given: Given, self: Command) => {
      if (given.since && given.lines !== undefined)
        throw new CrmError('invalid_input', '--since and --lines each say where to begin.', { hint: 'Give one of them.' })
      const crm = await shell.client(settingsOf(self, shell), { workspace: given.workspace })
      try {
        await follow(io, crm, given, formatOf(self, io) === 'json')
      } finally {
        await crm.close()
      }
    })
  whereFlags(command, shell)
}

async function follow(io: Io, crm: Crm, { type: types, since, lines }: Given, asJson: boolean): Promise<void> {
  const stop = new AbortController()
  const removeListener = io.interrupted(() => stop.abort())
  const unread = () => stop.abort()
  io.unread.addEventListener('abort', unread)
  try {
    const isWanted = ({ Type }: { readonly Type: string }) => types.length === 0 || types.some((pattern) => matches(pattern, Type))
    const print = asJson ? (event: Event) => jsonText(io, event, false) : await linePrinter(io, crm)
    const { first, after, isLate } = await placeOf(crm, since ?? { kind: 'last', count: lines ?? SHOWN_BEFORE }, isWanted)
    const printEvent = async (event: Event) => {
      if (isWanted(event) && !isLate(event)) await write(io, print(event))
    }
    for (const event of first) await printEvent(event)
    for await (const event of crm.events.follow({ after, signal: stop.signal })) await printEvent(event)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    if (!io.unread.aborted) throw new Ended(INTERRUPTED)
  } finally {
    removeListener()
    io.unread.removeEventListener('abort', unread)
  }
}

async function linePrinter(io: Io, crm: Crm): Promise<(event: Event) => string> {
  const who = await namesOf(crm)
  return (event) => `${eventLine(event, who, viewOf(io))}\n`
}

/** The names of the users that the caller may see; the ids of the others are shown. */
async function namesOf(crm: Crm): Promise<Who> {
  try {
    const names = new Map<string, string>()
    for await (const { UserID, Name } of crm.users.all({ Select: ['Name'] })) names.set(UserID, Name)
    return names
  } catch (error) {
    if (error instanceof CrmError && error.code === 'forbidden') return new Map()
    throw error
  }
}

const NAMES = EVENT_TYPES.map(({ type }) => type)

const matches = (pattern: string, type: string) => new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`).test(type)
const escaped = (text: string) => text.replace(/[.\\^$+?()[\]{}|]/g, '\\$&')

function knownType(pattern: string): string {
  if (NAMES.some((type) => matches(pattern, type))) return pattern
  const [near] = nearest(pattern, EVENT_PATTERNS, 1, true)
  throw new CrmError('invalid_input', `There is no event called ${quote(pattern)}.`, { hint: `Did you mean ${near}? lead.* stands for all events of leads.` })
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}
