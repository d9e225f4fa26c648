import type { BATCH } from '../../contract/batch.ts'
import { type Operation, overwrites } from '../../contract/operation.ts'
import { operationNamed, RECORD_TYPES } from '../../contract/operations.ts'
import { countOf, lossLines } from '../../contract/plan-loss.ts'
import { attachedIn, EVENT_TYPES } from '../../contract/records/event.ts'
import { quoted, quotedName } from '../../contract/visible-text.ts'
import { isObject } from '../../helpers/is-object.ts'
import { BUDGET } from './option-arguments.ts'
import { tokensOf } from './tokens.ts'
import type { Members } from './truncate.ts'
import type { NamedPlan } from './user-names.ts'

/** The question to the person who has to confirm, with as much about what would be removed or changed as fits into a budget of tokens. */
export function questionOf(tool: Operation | typeof BATCH, plan: NamedPlan, budget: number = BUDGET.default): string {
  const ask = (room: Room) => ('verb' in tool ? operationQuestion(tool, plan, room) : batchQuestion(plan, room))
  return ROOMS.map(ask).find((question) => tokensOf(question, budget) <= budget) ?? ask({ lines: 0, text: SHORT })
}

/** How many lines there is room for, how many of them for records that a batch takes away, and how many characters of a value. */
interface Room {
  readonly lines: number
  readonly removed?: number
  readonly text: number
}

const SHORT = 120

const MOST_LINES = 200

/** Long values are cut before lines are left out, and those about updates before those about deletes. */
const ROOMS: readonly Room[] = [
  ...[Number.POSITIVE_INFINITY, 2000, 1000, 500, 250].map((text) => ({ lines: MOST_LINES, text })),
  ...[MOST_LINES, 100, 50, 25, 12, 6, 3, 0].map((lines) => ({ lines, removed: MOST_LINES, text: SHORT })),
  ...[12, 6, 3].map((lines) => ({ lines: 0, removed: lines, text: SHORT })),
]

/** The first of many lines, and how many are left of all there are. */
function firstOf(lines: readonly string[], most: number, count = lines.length): readonly string[] {
  const first = lines.slice(0, most)
  return first.length < count ? [...first, `- and ${count - first.length} more`] : first
}

function operationQuestion(operation: Operation, plan: NamedPlan, room: Room): string {
  const { UndoneBatchID } = membersOf(plan.Preview.WouldWrite)
  if (UndoneBatchID !== undefined) return undoBatchQuestion(plan, room)
  return (overwrites(operation) ? updateQuestion : deleteQuestion)(operation, plan, room)
}

/** What the undo of a batch does to how many records, and which of them it removes or changes and how. */
function undoBatchQuestion(plan: NamedPlan, room: Room): string {
  const { WouldWrite, Undoable } = plan.Preview
  const { UndoneBatchID, Undone, Left, Changes } = membersOf(WouldWrite)
  const kinds = Object.entries(membersOf(Changes)).map(([type, count]) => happens(type, Number(count)))
  return [
    `Undo the batch ${UndoneBatchID}?`,
    `It takes back ${Undone === 1 ? '1 change' : `${Undone} changes`}: ${kinds.join(', ')}.`,
    ...touchedLines(plan, room, kinds.some((kind) => kind.endsWith('restored')) ? 'changes or restores' : 'changes'),
    ...lossLines(plan),
    ...(Number(Left) > 0 ? [`${Left} more changes are left for another call.`] : []),
    Undoable ? 'undo_change can take all of it back, by the BatchID of its answer.' : 'Not all of it can be undone.',
    `It can be confirmed until ${plan.ExpiresDate}.`,
  ].join('\n')
}

/** What becomes of how many records: `3 leads are changed`. What an undo creates was there before. */
function happens(eventType: string, count: number): string {
  const { record, happening } = EVENT_TYPES.find(({ type }) => type === eventType) as (typeof EVENT_TYPES)[number]
  const [what = happening] = /added|removed|changed/.exec(happening) ?? []
  const done = { created: 'restored', updated: 'changed' }[what] ?? what
  return `${countOf(attachedIn(happening) ?? record.name, count)} ${count === 1 ? 'is' : 'are'} ${done}`
}

/** What would be removed, what goes with it, whether it can be undone, and one line for each field. */
function deleteQuestion(operation: Operation, plan: NamedPlan, room: Room): string {
  const { WouldWrite, Difference, Undoable } = plan.Preview
  const gone = Object.entries(membersOf(Difference)).flatMap(([field, change]) => {
    const { From } = change as { From?: unknown }
    return From === null || From === undefined ? [] : [[field, From] as const]
  })
  const answer = membersOf(WouldWrite)
  const { what, named } = lossOf(operation, plan, answer, Object.fromEntries(gone))
  const fields = gone.filter(([field]) => !named.includes(field)).map(([field, value]) => `- ${quotedName(field)}: ${shownValue(plan, value, room.text)}`)
  const subject = answer.UndoneChangeID ?? (named.length === 0 ? namedRecord(plan, plan.RecordID) : undefined)
  const title = [operation.name, ...(subject === undefined ? [] : [subject])].join(' ')
  return [
    `${title}?`,
    fields.length > 0 ? `${what}:` : `${what}.`,
    ...firstOf(fields, room.lines),
    ...lossLines(plan),
    Undoable ? 'undo_change can take it back, by the ChangeID of its answer.' : 'It cannot be undone.',
    `It can be confirmed until ${plan.ExpiresDate}.`,
  ].join('\n')
}

function updateQuestion({ name, summary }: Operation, plan: NamedPlan, room: Room): string {
  const { Difference, Creates, Undoable } = plan.Preview
  const made = Array.isArray(Creates) ? Creates.flatMap((one) => madeLines(plan, one, room.text)) : []
  const changes = differenceLines(plan, Difference, room.text).map((line) => `- ${line}`)
  return [
    `${name} ${namedRecord(plan, plan.RecordID)}?`,
    ...(made.length > 0 ? ['It makes:', ...firstOf(made, room.lines)] : changes.length === 0 ? [summary] : []),
    ...(changes.length > 0 ? ['It changes:', ...firstOf(changes, room.lines)] : []),
    Undoable ? 'undo_change can take it back, by the ChangeID of its answer.' : 'It cannot be undone.',
    `It can be confirmed until ${plan.ExpiresDate}.`,
  ].join('\n')
}

/** A record that a conversion makes, by what is known of it. */
function madeLines(plan: NamedPlan, { RecordType, Values }: Members, most: number): string[] {
  const fields = Object.entries(membersOf(Values)).filter(([, value]) => value !== null)
  return fields.length > 0 ? fields.map(([field, value]) => `- ${RecordType}.${quotedName(field)}: ${shownValue(plan, value, most)}`) : [`- ${RecordType}`]
}

const differenceLines = (plan: NamedPlan, difference: unknown, most: number): string[] =>
  Object.entries(membersOf(difference)).map(([field, change]) => {
    const { From = null, To = null } = membersOf(change)
    const isNamed = [From, To].some((value) => userName(plan, value) !== undefined)
    return `${quotedName(field)}: ${isNamed ? `${shownValue(plan, From, most)} → ${shownValue(plan, To, most)}` : changeOf(From, To, most)}`
  })

const userName = ({ UserNames = {} }: NamedPlan, id: unknown) => (typeof id === 'string' && Object.hasOwn(UserNames, id) ? UserNames[id] : undefined)

/** A value, or the user who has it as an id, where the plan knows their name. */
function shownValue(plan: NamedPlan, value: unknown, most: number): string {
  const name = userName(plan, value)
  return name === undefined ? lineOf(value, { most }) : `${lineOf(name)} (${String(value)})`
}

/** The question about a batch: how many of which calls, which records would be removed or changed and how, and what goes with them. */
function batchQuestion(plan: NamedPlan, room: Room): string {
  const { Calls, Undoable } = plan.Preview
  const calls = Object.entries(membersOf(Calls)).map(([id, count]) => `${count} × ${operationNamed(id)?.name ?? id}`)
  return [
    `Execute a batch: ${calls.join(', ')}?`,
    ...touchedLines(plan, room),
    ...lossLines(plan),
    Undoable ? 'undo_change can take all of it back, by its BatchID.' : 'Not all of it can be undone.',
    `It can be confirmed until ${plan.ExpiresDate}.`,
  ].join('\n')
}

/** Which records a batch or its undo removes, and which it changes and how. */
function touchedLines(plan: NamedPlan, room: Room, changes = 'changes'): string[] {
  const { Deletes, Updates = 0, Differences, Names } = plan.Preview
  const differences = membersOf(Differences)
  const changed = Object.entries(differences).map(
    ([id, difference]) => `- ${[namedRecord(plan, id), differenceLines(plan, difference, room.text).join('; ')].filter(Boolean).join(': ')}`,
  )
  const removed = Object.keys(membersOf(Names)).flatMap((id) => (Object.hasOwn(differences, id) ? [] : [`- ${namedRecord(plan, id)}`]))
  return [...listOf('takes away', Number(Deletes), removed, room.removed ?? room.lines), ...listOf(changes, Number(Updates), changed, room.lines)]
}

/** How many records something happens to, and the first of them. */
function listOf(what: string, count: number, named: readonly string[], most: number): string[] {
  if (count === 0) return []
  const records = `It ${what} ${count === 1 ? '1 record' : `${count} records`}`
  return named.length === 0 ? [`${records}.`] : [`${records}:`, ...firstOf(named, most, count)]
}

const membersOf = (value: unknown): Members => (isObject(value) ? value : {})

/** A record by its name, where the plan knows it, and its id. */
function namedRecord({ Preview }: NamedPlan, id: string): string {
  const name = membersOf(Preview.Names)[id]
  return typeof name === 'string' ? `${lineOf(name)} (${id})` : id
}

/** What would be removed, and the fields that this sentence names already. */
function lossOf({ summary, verb }: Operation, plan: NamedPlan, answer: Members, gone: Members): { what: string; named: readonly string[] } {
  const { RecordType, RecordID } = plan
  const record = `the ${RecordType} ${namedRecord(plan, RecordID)}`
  if (verb === 'delete' || verb === 'revokeKey') return { what: summary.replace(/\.$/, ''), named: [] }
  if (answer.Record === null) return { what: `Removes ${record}`, named: [] }
  const other = RECORD_TYPES.find(({ name, id }) => name !== RecordType && Object.hasOwn(gone, id))
  if (!other) return { what: `Takes away from ${record}`, named: [] }
  const it = `the ${other.name} ${namedRecord(plan, String(gone[other.id]))}`
  return { what: other.childOf ? `Removes ${it} from ${record}` : `Takes ${record} out of ${it}`, named: [other.id] }
}

/** Of what two long values have in common, so much is shown on both sides of what differs. */
const CONTEXT = 30

const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null'))

/** Which part of a long value is shown, and how many characters of it at most. */
interface Part {
  readonly start?: number
  readonly end?: number
  readonly most?: number
}

/** A value, or a part of a long one. What is left out is marked outside of the quotes, since a value may hold any character, and counted within the part. */
function lineOf(value: unknown, { start = 0, end = Number.POSITIVE_INFINITY, most = SHORT }: Part = {}): string {
  const text = textOf(value)
  if (text.length <= SHORT) return quoted(value)
  const [from, to] = [Math.max(0, start), Math.min(text.length, end)]
  const part = (first: number, last: number) => quoted(text.slice(first, last).toWellFormed())
  const half = Math.ceil(most / 2)
  const isWhole = to - from <= most
  const shown = isWhole ? part(from, to) : `${part(from, from + half)}… (${to - from - 2 * half} more characters) …${part(to - half, to)}`
  return `${from > 0 ? '…' : ''}${shown}${to < text.length ? '…' : ''}`
}

/** Both values, from where they begin to differ to where they are the same again. */
function changeOf(from: unknown, to: unknown, most: number): string {
  const [before, after] = [textOf(from), textOf(to)]
  const shorter = Math.min(before.length, after.length)
  let same = 0
  while (same < shorter && before[same] === after[same]) same++
  let alike = 0
  while (alike < shorter - same && before.at(-1 - alike) === after.at(-1 - alike)) alike++
  const partOf = (text: string): Part => ({ start: same - CONTEXT, end: text.length - alike + CONTEXT, most })
  return `${lineOf(from, partOf(before))} → ${lineOf(to, partOf(after))}`
}
