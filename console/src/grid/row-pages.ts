import { type Ask, type PageChain, pageChain } from './page-chain.ts'

/** The rows of a table, read from whichever end is nearer once their number is known: so a jump passes half of them at most, and one to the end none. */
export interface RowPages<T> extends Omit<PageChain<T>, 'distanceTo'> {
  /** Loads the pages of these rows, of so many in all, and drops those far from them. */
  show(first: number, last: number, total?: number): void
}

/** `askFromEnd` asks for the same rows in the reverse order. */
export function rowPages<T>(ask: Ask<T>, askFromEnd: Ask<T>): RowPages<T> {
  const front = pageChain(ask)
  const back = pageChain(askFromEnd)
  let total: number | undefined

  const fromEnd = (index: number) => (total ?? 0) - 1 - index
  const isFromEnd = (index: number) => total !== undefined && front.total() === undefined && front.distanceTo(index) > back.distanceTo(fromEnd(index))

  return {
    subscribe(listener) {
      const ends = [front.subscribe(listener), back.subscribe(listener)]
      return () => {
        for (const end of ends) end()
      }
    },
    version: () => front.version() + back.version(),
    count: front.count,
    loadedCount: front.loadedCount,
    total: front.total,
    asOf: () => back.asOf() ?? front.asOf(),
    isLoaded: front.isLoaded,
    error: () => front.error() ?? back.error(),
    rowAt: (index) => (isFromEnd(index) ? back.rowAt(fromEnd(index)) : front.rowAt(index)),
    indexOf(matches) {
      const at = front.indexOf(matches)
      const before = at < 0 ? back.indexOf(matches) : -1
      return before < 0 ? at : fromEnd(before)
    },
    loadedRows: () => [...front.loadedRows(), ...[...back.loadedRows()].reverse()],
    rowsFrom: front.rowsFrom,
    show(first, last, rows) {
      total = rows
      const [begins, ends] = [isFromEnd(first), isFromEnd(last)]
      if (begins) front.stop()
      else front.show(first, last)
      if (ends) back.show(fromEnd(last), fromEnd(first))
      else back.stop()
    },
    refresh() {
      front.refresh()
      if (back.isLoaded()) back.refresh()
    },
    patch(change) {
      const ends = [front.patch(change), back.patch(change)]
      return ends.includes(true)
    },
    stop() {
      front.stop()
      back.stop()
    },
  }
}
