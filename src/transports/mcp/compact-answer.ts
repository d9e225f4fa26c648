import type { Operation } from '../../contract/operation.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { isObject } from '../../helpers/is-object.ts'
import { compactDescription } from './compact-description.ts'
import { receiptMembers } from './receipt.ts'
import { listCut, membersCut, pageList, type Shown, shorten, textsCut, truncateAnswer } from './shown-answer.ts'
import { type Extent, itemsOf, MAX_TEXT, MAX_TEXT_IN_PAGE, type Members, nothing } from './truncate.ts'

/** Records in a page without Limit. */
export const DEFAULT_PAGE = 20

/** How many items of a list are shown; of months the latest, of all others the first. */
const SHOWN: { readonly [list: string]: number } = { Notes: 5, Comments: 5, Campaigns: 20, ByStatus: 20, ByStage: 20, ByOwner: 10, ByMonth: 12 }

/** The answer of a read, shortened for an agent, with the fields that it has selected, whether or not they have a value. */
export function compactAnswer(operation: Operation, { LeftOut: taken, ...answer }: Members, extent: Extent, selected: readonly string[] = []): Shown {
  const brief: string[] = []
  const list = pageList(answer)
  const chosen = operation.verb === 'describe' ? compactDescription(answer, brief) : list ? page(operation, answer, brief) : answer
  const longest = list ? MAX_TEXT_IN_PAGE : MAX_TEXT
  const how = { ...extent, text: Math.min(extent.text, longest), lists: SHOWN, selected }
  const removed = nothing()
  const members = truncateAnswer(chosen, how, removed)
  const cut: string[] = []
  for (const [name, total] of removed.lists)
    (itemsOf(how, name) < extent.items ? brief : cut).push(listNote(operation, answer, name, itemsOf(how, name), total))
  if (removed.empty > 0) brief.push('fields without a value')
  ;(extent.text < longest ? cut : brief).push(...textsCut(removed, how))
  cut.push(...membersCut(removed, how))
  // The name is that of what is said about the answer: a record could otherwise pose as the server.
  if (taken !== undefined) brief.push('the field LeftOut')
  return { members, brief, cut, ...(list && hasMore(operation, members) && { follows: follows(operation) }) }
}

/** The whole answer of an operation, as far as it fits. What is cut is told by all that the record has, of which the answer has the newest. */
export function fullAnswer(operation: Operation, answer: Members, extent: Extent, reduced = false): Shown {
  const shown = shorten(answer, extent, (name, count, total) => listNote(operation, answer, name, count, total))
  return { ...shown, ...(reduced && { follows: follows(operation) }) }
}

export const follows = ({ verb }: Operation) => `what follows (pass NextCursor as ${verb === 'getEvents' ? 'After' : 'Cursor'})`

/** Events have a cursor even where nothing follows yet. */
function hasMore({ verb }: Operation, { NextCursor, Events }: Members): boolean {
  return verb === 'getEvents' ? (Events as unknown[]).length > 0 : NextCursor !== undefined
}

function page(operation: Operation, { NextCursor, ...answer }: Members, left: string[]): Members {
  return { ...records(operation, answer, left), ...(NextCursor !== null && { NextCursor }) }
}

function records({ record, verb }: Operation, answer: Members, left: string[]): Members {
  const { Records } = answer
  if (!Array.isArray(Records)) return answer
  if (record.userDefined) {
    if (Records.some((one) => 'Fields' in one)) left.push('the definitions in Fields, which describe shows')
    return { ...answer, Records: Records.map(({ Fields: _definitions, ...one }) => one) }
  }
  if (record.name !== 'Change' || verb !== 'getMany') return answer
  if (Records.some(({ Before, After }) => isObject(Before) && isObject(After))) left.push('what is the same Before and After')
  return { ...answer, Records: Records.map(differing) }
}

/** A change with only those fields of Before and After that differ. */
function differing(change: Members): Members {
  const { Before, After } = change
  if (!isObject(Before) || !isObject(After)) return change
  const differ = (image: Members) => Object.fromEntries(Object.entries(image).filter(([name]) => JSON.stringify(Before[name]) !== JSON.stringify(After[name])))
  return { ...change, Before: differ(Before), After: differ(After) }
}

function listNote({ record }: Operation, answer: Members, name: string, shown: number, length: unknown): string {
  const child = record.children.find(({ list }) => list === name)
  const more = child && OPERATIONS.find((one) => one.verb === 'getAttached' && one.record.name === child.type)
  return `${listCut(name, shown, child ? answer[child.total] : length)}${more ? ` (${more.id} shows them page by page)` : ''}`
}

export interface WriteOutcome {
  readonly changeId?: string | undefined
  readonly replayed?: boolean | undefined
}

/** The answer of a write, shortened for an agent: which record, and what became of it. */
export function receiptOf(operation: Operation, answer: Members, { changeId, replayed }: WriteOutcome): Members {
  const members = receiptMembers(operation).flatMap((name) => (answer[name] === undefined || answer[name] === null ? [] : [[name, answer[name]]]))
  const { Record: undone } = answer
  return {
    ...Object.fromEntries(members),
    ...(isObject(undone) && typeof undone.Revision === 'number' && { Revision: undone.Revision }),
    ...(changeId !== undefined && { ChangeID: changeId }),
    ...(replayed && { Replayed: true }),
  }
}
