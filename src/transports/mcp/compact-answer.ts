import type { Operation } from '../../contract/operation.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { isObject } from '../../helpers/is-object.ts'
import { compactDescription } from './compact-description.ts'
import { receiptMembers } from './receipt.ts'
import { MAX_TEXT, MAX_TEXT_IN_PAGE, type Members, type Truncation, truncate } from './truncate.ts'

/** Records in a page without Limit. */
export const DEFAULT_PAGE = 20

/** How many items of a list are shown; of months the latest, of all others the first. */
const SHOWN: { readonly [list: string]: number } = { Notes: 5, Comments: 5, Campaigns: 20, ByStatus: 20, ByStage: 20, ByOwner: 10, ByMonth: 12 }

/** The answer of a read, shortened for an agent. LeftOut says what is missing and how to get it. */
export function compactAnswer(operation: Operation, answer: Members): Members {
  const left: string[] = []
  const paged = Array.isArray(answer.Records ?? answer.Events)
  const how: Truncation = { longest: paged ? MAX_TEXT_IN_PAGE : MAX_TEXT, empty: 0, cut: 0 }
  const chosen = operation.verb === 'describe' ? compactDescription(answer, left) : paged ? page(operation, answer, left) : lists(operation, answer, left)
  const short = truncate(chosen, how) as Members
  if (how.empty > 0) left.push('fields without a value')
  if (how.cut > 0) left.push(`what is beyond ${how.longest} characters of a text`)
  const more = paged && hasMore(operation, short)
  const leftOut = [
    ...(more ? [`what follows (pass NextCursor as ${operation.verb === 'getEvents' ? 'After' : 'Cursor'})`] : []),
    ...(left.length > 0 ? [`${left.join(', ')} (Detail: "full" shows all)`] : []),
  ]
  return { ...short, ...(leftOut.length > 0 && { LeftOut: leftOut.join('; ') }) }
}

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

function lists({ record }: Operation, answer: Members, left: string[]): Members {
  const members = Object.entries(answer).map(([name, value]) => {
    const most = SHOWN[name]
    if (!Array.isArray(value) || most === undefined || value.length <= most) return [name, value]
    const child = record.children.find(({ list }) => list === name)
    const more = child && OPERATIONS.find((one) => one.verb === 'getAttached' && one.record.name === child.type)
    const total = child ? answer[child.total] : value.length
    left.push(`all but ${most} of ${total} ${name}${more ? ` (${more.id} shows them page by page)` : ''}`)
    return [name, name === 'ByMonth' ? value.slice(-most) : value.slice(0, most)]
  })
  return Object.fromEntries(members)
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
