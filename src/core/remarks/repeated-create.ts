import type { Operation } from '../../contract/operation.ts'
import { recordType } from '../../contract/operations.ts'
import { getManyChanges } from '../../contract/records/change.ts'
import { isObject } from '../../helpers/is-object.ts'
import { type Reading, type Row, readRows } from './reading.ts'

/** How long ago the same create counts as a repetition, and among how many of the caller's last writes it is looked for. */
const WITHIN_MS = 10 * 60_000
const LAST = 50

const CREATES: readonly string[] = ['create', 'createCustom', 'attach']

/** The same create by the same user shortly before, as the journal has it: so in any process, and after a restart. */
export async function repeatedCreate(operation: Operation, changeId: string, keyName: string, reading: Reading): Promise<string[]> {
  if (!CREATES.includes(operation.verb)) return []
  const lines = await readRows(reading, getManyChanges, {
    Filters: { UserID: reading.writer.userId },
    Select: ['At', 'Operation', 'Outcome', 'RecordID', 'After'],
    Limit: LAST,
  })
  const at = lines.findIndex((line) => line.ChangeID === changeId)
  const own = lines[at]
  // One that was taken back or deleted since is made anew on purpose.
  const isGone = ({ RecordID }: Row) => lines.some((line) => line.RecordID === RecordID && line.Outcome === 'ok' && line.After === null)
  // The newest line is first.
  const first = own && lines.slice(at + 1).findLast((line) => isSame(operation, own, line) && !isGone(line))
  if (!first) return []
  const seconds = Math.round(ageOf(first, own) / 1000)
  return [
    `The same ${operation.name} was made ${seconds} s before: ${idIn(operation, first)}. If this is a repetition, take it back with undo_change and ChangeID ${changeId}; with ${keyName} a repetition writes nothing.`,
  ]
}

const ageOf = (first: Row, second: Row) => Date.parse(second.At as string) - Date.parse(first.At as string)

function isSame(operation: Operation, own: Row, line: Row): boolean {
  if (line.Operation !== operation.id || line.Outcome !== 'ok' || ageOf(line, own) > WITHIN_MS || ageOf(line, own) < 0) return false
  if (operation.verb === 'attach' && line.RecordID !== own.RecordID) return false
  const [before, now] = [line.After, own.After]
  const { properties } = operation.input as unknown as { properties: object }
  // Images that were erased are equal to nothing.
  return isObject(before) && isObject(now) && Object.keys(properties).every((name) => JSON.stringify(before[name]) === JSON.stringify(now[name]))
}

/** The id of what was created: of a note or comment, its own. */
function idIn({ record, verb }: Operation, { RecordID, After }: Row): string {
  const image = Object(After) as Row
  const child = verb === 'attach' ? record.children.map(({ type }) => recordType(type)).find(({ id }) => Object.hasOwn(image, id)) : undefined
  return child ? `${child.id} ${image[child.id]}` : `${record.id} ${RecordID}`
}
