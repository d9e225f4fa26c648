import { LIMITS } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { OPERATIONS, operationNamed, recordType, STORE_TYPES } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { getManyChanges } from '../../contract/records/change.ts'
import { EVENT_TYPES } from '../../contract/records/event.ts'
import { isObject } from '../../helpers/is-object.ts'
import type { Input } from '../call/types.ts'
import { stable } from '../journal/idempotency.ts'
import { type Reading, type Row, readRows } from './reading.ts'

/** How long ago the same create counts as a repetition. */
const WITHIN_MS = 10 * 60_000
/** Among how many of the caller's last creates of the kind a single one is looked for. */
const OF_ONE = 200

const VERBS: readonly string[] = ['create', 'createCustom', 'attach', 'createUser', 'createWebhook']
const CREATES = OPERATIONS.filter(({ verb }) => VERBS.includes(verb)).map(({ id }) => id)

/** The same create by the same user shortly before, as the journal has it: so in any process, and after a restart. */
export async function repeatedCreate(operation: Operation, changeId: string, keyName: string, reading: Reading): Promise<string[]> {
  if (!CREATES.includes(operation.id)) return []
  return (await repetitions([changeId], {}, reading)).map((one) => remarkOn(one, keyName))
}

/** How many creates in a batch are named one by one. */
const NAMED = 3

/**
 * The same of calls in a batch, whose numbers are given by their changes, in their order: one remark for many. Of equal creates in the batch itself the later
 * ones repeat the first.
 */
export async function repeatedInBatch(batchId: string, calls: ReadonlyMap<string, number>, keyName: string, reading: Reading): Promise<string[]> {
  const all = await repetitions([...calls.keys()], { BatchID: { ne: batchId } }, reading)
  if (all.length <= NAMED) return all.map((one) => `Call ${calls.get(one.changeId)}: ${remarkOn(one, keyName, calls.get(one.firstId))}`)
  const last = all.at(-1) as Repeated
  const call = calls.get(last.firstId)
  const first = call === undefined ? `${last.seconds} s before` : `by call ${call}`
  const undo = all.length === calls.size ? `BatchID ${batchId}` : 'the ChangeID of each'
  return [
    `${all.length} calls create what was created before, the last of them ${first}: ${last.id}. If this is a repetition, take it back with undo_change and ${undo}; with ${keyName} a repetition writes nothing.`,
  ]
}

/** A create, and the first of those that made the same before. */
interface Repeated {
  readonly operation: Operation
  readonly changeId: string
  /** The change with which the first was made. */
  readonly firstId: string
  /** The name and the value of the id of what the first has made. */
  readonly id: string
  readonly seconds: number
}

/** No key prevents what another call of the same batch has made. */
function remarkOn({ operation, changeId, id, seconds }: Repeated, keyName: string, call?: number): string {
  const undo = STORE_TYPES.includes(operation.record.name) ? [] : [`If this is a repetition, take it back with undo_change and ChangeID ${changeId}`]
  if (call !== undefined) return [`The same as call ${call}: ${id}`, ...undo].map((sentence) => `${sentence}.`).join(' ')
  const key = `ith ${keyName} a repetition writes nothing.`
  return `The same ${operation.name} was made ${seconds} s before: ${id}. ${undo.length > 0 ? `${undo}; w` : 'W'}${key}`
}

const timeOf = ({ At }: Row) => Date.parse(At as string)

const linesOf = (reading: Reading, Filters: Input, Limit: number = LIMITS.page) =>
  readRows(reading, getManyChanges, { Filters, Select: ['At', 'Operation', 'Outcome', 'RecordID', 'After'], Limit })

/** Of these changes, in their order, the creates that were made before: by others, or by one of these. */
async function repetitions(changeIds: readonly string[], others: Input, reading: Reading): Promise<readonly Repeated[]> {
  const lines = await linesOf(reading, { ChangeID: { in: changeIds } })
  const own = lines.filter((line) => keyOf(line) !== undefined)
  const [newest, oldest] = [own[0], own.at(-1)]
  if (!newest || !oldest) return []
  const Filters = {
    ...others,
    UserID: reading.writer.userId,
    Operation: { in: [...new Set(own.map(({ Operation }) => Operation))] },
    At: { gte: new Date(timeOf(oldest) - WITHIN_MS).toISOString(), lte: newest.At },
  }
  const earlier = await linesOf(reading, Filters, own.length === 1 ? OF_ONE : LIMITS.page)
  const keys = new Set(own.map(keyOf))
  const alike = earlier.filter((line) => keys.has(keyOf(line)))
  // One that was taken back or deleted since is made anew on purpose.
  const gone = await goneAmong([...new Set([...alike, ...own].map(({ RecordID }) => RecordID as string))], reading)
  // The newest line is first, so that the oldest is what remains.
  const firsts = new Map(alike.filter(({ RecordID }) => !gone.has(RecordID)).map((line) => [keyOf(line), line]))
  const found: Repeated[] = []
  const [ownById, made] = [new Map(own.map((line) => [line.ChangeID, line])), new Map<string | undefined, Row>()]
  for (const changeId of changeIds) {
    const line = ownById.get(changeId)
    const operation = line && operationNamed(line.Operation as string)
    if (!operation) continue
    const key = keyOf(line)
    const known = firsts.get(key)
    // Ids sort by time.
    const first = known && (known.ChangeID as string) < changeId ? known : made.get(key)
    if (first) {
      const seconds = Math.round((timeOf(line) - timeOf(first)) / 1000)
      found.push({ operation, changeId, firstId: first.ChangeID as string, id: idIn(operation, first), seconds })
    } else if (!gone.has(line.RecordID)) made.set(key, line)
  }
  return found
}

const REMOVED = EVENT_TYPES.map(({ type }) => type).filter((type) => /\.(\w+_removed|deleted)$/.test(type))

/** Those of these records that were deleted, or of which something was removed. */
async function goneAmong(ids: readonly string[], reading: Reading): Promise<ReadonlySet<unknown>> {
  if (ids.length === 0) return new Set()
  const Filters = { RecordID: { in: ids }, EventType: { in: REMOVED }, Outcome: 'ok' }
  return new Set((await readRows(reading, getManyChanges, { Filters, Select: ['RecordID'], Limit: LIMITS.page })).map(({ RecordID }) => RecordID))
}

/** What was created, by all its values but those that every create sets anew; undefined of an image that was erased, which is equal to nothing. */
function keyOf({ Operation, Outcome, RecordID, After }: Row): string | undefined {
  const operation = operationNamed(Operation as string)
  if (!operation || !CREATES.includes(operation.id) || Outcome !== 'ok' || !isObject(After)) return undefined
  const attached = childIn(operation, After)
  const own = Object.entries(After).filter(([name]) => !isSetAnew(attached ?? operation.record, name))
  return stable([operation.id, attached ? RecordID : null, Object.fromEntries(own)])
}

const isSetAnew = ({ id, createdField }: RecordType, name: string) => [id, createdField, 'UpdatedDate', 'Revision'].includes(name)

/** The type of the note or comment that was added to a record. */
const childIn = ({ record, verb }: Operation, image: Row) =>
  verb === 'attach' ? record.children.map(({ type }) => recordType(type)).find(({ id }) => Object.hasOwn(image, id)) : undefined

/** The id of what was created: of a note or comment, its own. */
function idIn(operation: Operation, { RecordID, After }: Row): string {
  const image = Object(After) as Row
  const child = childIn(operation, image)
  return child ? `${child.id} ${image[child.id]}` : `${operation.record.id} ${RecordID}`
}
