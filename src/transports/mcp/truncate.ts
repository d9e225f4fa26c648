import { isObject } from '../../helpers/is-object.ts'

export type Members = { readonly [name: string]: unknown }

/** How much is shown: characters of a text, items of a list, members of an object. */
export interface Extent {
  readonly text: number
  readonly items: number
  readonly members: number
}

/**
 * The beginning of a text. In the text of an answer the mark of what is left out is outside of the quotes, so that no value can pose as a cut one; in the
 * structure, where `LeftOut` names the fields that were cut, both are one text.
 */
export class CutText {
  readonly head: string
  /** How many characters are left out. */
  readonly left: number

  constructor(head: string, left: number) {
    this.head = head
    this.left = left
  }

  get mark(): string {
    return `… (${this.left} more characters)`
  }

  toJSON(): string {
    return `${this.head}${this.mark}`
  }
}

const ALL = Number.POSITIVE_INFINITY
export const WHOLE: Extent = { text: ALL, items: ALL, members: ALL }

/** How long a text may be in a page, and on its own. */
export const MAX_TEXT_IN_PAGE = 500
export const MAX_TEXT = 2000

/** What was removed from a value. */
export interface Removed {
  /** How many members without a value. */
  empty: number
  /** The members whose texts were cut, and whether objects were. */
  readonly texts: Set<string>
  members: boolean
  /** The length of each list that was cut, by its name. */
  readonly lists: Map<string, number>
}

export const nothing = (): Removed => ({ empty: 0, texts: new Set(), members: false, lists: new Map() })

/** How to truncate a value at any depth. */
export interface Truncation extends Extent {
  /** Keeps null, where it has a meaning. */
  readonly keepsEmpty?: boolean
  /** Members that are kept even if they are null: those that were asked for by name. */
  readonly selected?: readonly string[]
  /** The most items of some lists. */
  readonly lists?: { readonly [list: string]: number }
}

/** How many items of a list are shown. */
export const itemsOf = ({ items, lists }: Truncation, name: string) => Math.min(items, lists?.[name] ?? ALL)

export function truncate(value: unknown, how: Truncation, removed: Removed, name = ''): unknown {
  if (typeof value === 'string' || value instanceof CutText) return text(value, how, removed, name)
  if (Array.isArray(value)) return list(value, how, removed, name).map((one) => truncate(one, how, removed, name))
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([member, one]) => one !== null || how.keepsEmpty || how.selected?.includes(member))
  removed.empty += Object.keys(value).length - members.length
  removed.members ||= members.length > how.members
  return Object.fromEntries(members.slice(0, how.members).map(([member, one]) => [member, truncate(one, how, removed, member)]))
}

export function withoutEmpty(value: unknown): unknown {
  return truncate(value, WHOLE, nothing())
}

/** The first items, or the latest months. */
function list(items: readonly unknown[], how: Truncation, removed: Removed, name: string): readonly unknown[] {
  const most = itemsOf(how, name)
  if (items.length <= most) return items
  removed.lists.set(name, items.length)
  return name === 'ByMonth' ? items.slice(-most) : items.slice(0, most)
}

function text(value: string | CutText, how: Truncation, removed: Removed, name: string): string | CutText {
  const { head, left } = value instanceof CutText ? value : { head: value, left: 0 }
  if (head.length <= how.text) return value
  // Does not cut a surrogate pair in half.
  const shorter = head.slice(0, how.text).replace(/[\uD800-\uDBFF]$/, '')
  const cut = new CutText(shorter, head.length - shorter.length + left)
  // A timestamp would only become longer.
  if (left === 0 && cut.toJSON().length >= head.length) return value
  removed.texts.add(name)
  return cut
}
