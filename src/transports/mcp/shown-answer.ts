import { quotedName } from '../../contract/visible-text.ts'
import { type Extent, type Members, nothing, type Removed, type Truncation, truncate } from './truncate.ts'
import { withNamesShown } from './user-names.ts'

/** What is shown of an answer, and what is left out. */
export interface Shown {
  readonly members: Members
  /** What follows, on the next page or of a batch, and how to get it. */
  readonly follows?: string
  /** What only Detail: "full" shows. */
  readonly brief?: readonly string[]
  /** What only a larger budget shows. */
  readonly cut?: readonly string[]
}

/** Cuts an answer without making it brief. */
export function shorten(answer: Members, extent: Extent, noteOn = listCut): Shown {
  const removed = nothing()
  const members = truncateAnswer(answer, { ...extent, keepsEmpty: true }, removed)
  const lists = [...removed.lists].map(([name, total]) => noteOn(name, extent.items, total))
  return { members, cut: [...lists, ...textsCut(removed, extent), ...membersCut(removed, extent)] }
}

/** Truncates an answer, or the records of a page: a cursor is of no use in part. */
export function truncateAnswer(answer: Members, how: Truncation, removed: Removed): Members {
  const list = pageList(answer)
  return list ? withNamesShown({ ...answer, [list]: truncate(answer[list], how, removed) }) : (truncate(answer, how, removed) as Members)
}

/** The member of an answer that has the records of a page. */
export const pageList = (answer: Members) => ['Records', 'Events'].find((name) => Array.isArray(answer[name]))

export const listCut = (name: string, shown: number, total: unknown) => `all but ${shown} of ${total} ${name === '' ? 'items' : quotedName(name)}`
export const textsCut = ({ texts }: Removed, extent: Extent) => (texts.size > 0 ? [`what is beyond ${extent.text} characters of ${namesOf(texts)}`] : [])
export const membersCut = ({ members }: Removed, extent: Extent) =>
  members ? [extent.members === 1 ? 'all but the first field' : `all but the first ${extent.members} fields`] : []

/** How many of the fields that were cut are named: a record may have hundreds. */
const NAMED = 3

/** The names of fields whose texts were cut, since a value that ends like a cut one is not among them. */
function namesOf(texts: ReadonlySet<string>): string {
  const names = [...texts].map((name) => (name === '' ? 'a text' : quotedName(name)))
  return names.length > NAMED ? `${names.slice(0, NAMED).join(', ')} and ${names.length - NAMED} more` : names.join(', ')
}
