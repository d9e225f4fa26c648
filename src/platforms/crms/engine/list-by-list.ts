import type { Changed, ChangedPage } from './driver.ts'

/** Lists that are still to be read, the first of them from a cursor on, and how to go on with further lists; undefined where there are none. */
interface Onward {
  readonly lists: readonly string[]
  readonly after?: string | undefined
  readonly next?: string | undefined
}

interface Listing {
  /** The ids of some of the lists. It is asked for the first of them with an empty cursor. */
  lists(cursor: string): Promise<{ readonly ids: readonly string[]; readonly next: string | undefined }>
  /** Some of what is on a list. */
  members(list: string, cursor: string | undefined): Promise<{ readonly records: readonly Changed[]; readonly next: string | undefined }>
}

/** A page of what is on lists that can only be read one by one. */
export async function listByList({ lists, members }: Listing, cursor: string | undefined): Promise<ChangedPage> {
  let at: Onward = cursor === undefined ? { lists: [], next: '' } : JSON.parse(cursor)
  const isLeft = () => at.lists.length > 0 || at.next !== undefined
  let records: readonly Changed[] = []
  while (records.length === 0 && isLeft()) {
    const [list, ...others] = at.lists
    if (list === undefined) {
      const { ids, next } = await lists(at.next ?? '')
      at = { lists: ids, next }
    } else {
      const page = await members(list, at.after)
      at = page.next === undefined ? { lists: others, next: at.next } : { ...at, after: page.next }
      records = page.records
    }
  }
  return { records, ...(isLeft() && { cursor: JSON.stringify(at) }) }
}
