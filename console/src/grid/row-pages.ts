/** A page as the service answers it. */
export interface FoundPage<T> {
  readonly Records: readonly T[]
  readonly NextCursor: string | null
}

/**
 * Rows that are endless, of which only those near the reader are kept. Pages are asked for one after the other by their cursor; the
 * cursors stay, so that a page that was let go of can be asked for again.
 */
export interface RowPages<T> {
  /** Calls whenever something is another than it was. */
  subscribe(changed: () => void): () => void
  /** Grows with each change. */
  version(): number
  /** How many rows can be scrolled to, those that are still to come included. */
  count(): number
  /** How many rows have come so far. */
  loadedCount(): number
  /** How many rows there are; undefined until the last page was seen. */
  total(): number | undefined
  /** Whether anything was answered yet. */
  isLoaded(): boolean
  error(): unknown
  rowAt(index: number): T | undefined
  /** Asks for what is needed to show these rows, and lets go of what is far from them. */
  show(first: number, last: number): void
  /** Asks again for what is shown, where it stands. */
  refresh(): void
  /** Puts another row in the place of each; the same one where nothing is to change. Answers whether any was. */
  patch(change: (row: T) => T): boolean
  stop(): void
}

const PAGE = 200
/** Whoever has come past so many pages has a way to go, and is given longer ones. */
const SHORT_PAGES = 5
const LONG_PAGE = 1000
/** Pages kept on either side of the reader. */
const KEPT_PAGES = 3
/** Rows from the end of what is known at which more is asked for. */
const PREFETCH_ROWS = 60
/** Rows drawn before anything is known. */
const PLACEHOLDER_ROWS = 30

export function rowPages<T>(ask: (cursor: string | null, limit: number, signal: AbortSignal) => Promise<FoundPage<T>>): RowPages<T> {
  const pages = new Map<number, readonly T[]>()
  const loading = new Map<number, AbortController>()
  const listeners = new Set<() => void>()
  /** Where each page begins: by its cursor, and by its first row. */
  const cursors: (string | null)[] = [null]
  const starts: number[] = [0]
  let lastLength: number | undefined
  let version = 0
  let error: unknown
  let shown = { first: 0, last: PLACEHOLDER_ROWS }

  const changed = () => {
    version++
    for (const listener of listeners) listener()
  }

  const pageAt = (index: number): number => {
    let [low, high] = [0, cursors.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= index) low = middle
      else high = middle - 1
    }
    return low
  }

  const forget = (page: number) => {
    pages.delete(page)
    loading.get(page)?.abort()
    loading.delete(page)
  }

  function place(page: number, { Records, NextCursor }: FoundPage<T>): void {
    pages.set(page, Records)
    if (NextCursor === null) {
      for (const other of [...pages.keys(), ...loading.keys()]) if (other > page) forget(other)
      cursors.length = starts.length = page + 1
      lastLength = Records.length
      return
    }
    const start = (starts[page] ?? 0) + Records.length
    if (page === cursors.length - 1) lastLength = undefined
    else if (cursors[page + 1] !== NextCursor) forget(page + 1)
    const shift = start - (starts[page + 1] ?? start)
    cursors[page + 1] = NextCursor
    starts[page + 1] = start
    if (shift !== 0) for (let later = page + 2; later < starts.length; later++) starts[later] = (starts[later] ?? 0) + shift
  }

  function load(page: number): void {
    if (pages.has(page) || loading.has(page)) return
    const controller = new AbortController()
    loading.set(page, controller)
    ask(cursors[page] ?? null, page < SHORT_PAGES ? PAGE : LONG_PAGE, controller.signal).then(
      (found) => {
        if (controller.signal.aborted) return
        loading.delete(page)
        error = undefined
        place(page, found)
        show(shown.first, shown.last)
        changed()
      },
      (fault) => {
        if (controller.signal.aborted) return
        loading.delete(page)
        error = fault
        changed()
      },
    )
  }

  function show(first: number, last: number): void {
    shown = { first, last }
    const [from, to] = [pageAt(first), pageAt(last + PREFETCH_ROWS)]
    for (const page of [...pages.keys(), ...loading.keys()]) if (page < from - KEPT_PAGES || page > to + KEPT_PAGES) forget(page)
    if (error === undefined) for (let page = from; page <= to; page++) load(page)
  }

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    version: () => version,
    loadedCount: () => starts.at(-1) ?? 0,
    count: () => (starts.at(-1) ?? 0) + (lastLength ?? (cursors.length === 1 ? PLACEHOLDER_ROWS : PAGE)),
    total: () => (lastLength === undefined ? undefined : (starts.at(-1) ?? 0) + lastLength),
    isLoaded: () => version > 0,
    error: () => error,
    rowAt(index) {
      const page = pageAt(index)
      return pages.get(page)?.[index - (starts[page] ?? 0)]
    },
    show,
    refresh() {
      error = undefined
      for (const page of [...pages.keys(), ...loading.keys()]) {
        // What is shown stays until it is there anew.
        loading.get(page)?.abort()
        loading.delete(page)
      }
      const [from, to] = [pageAt(shown.first), pageAt(shown.last + PREFETCH_ROWS)]
      for (const page of [...pages.keys()]) if (page < from || page > to) pages.delete(page)
      for (let page = from; page <= to; page++) reload(page)
    },
    patch(change) {
      let any = false
      for (const [page, rows] of pages) {
        const next = rows.map(change)
        if (next.every((row, index) => row === rows[index])) continue
        pages.set(page, next)
        any = true
      }
      if (any) changed()
      return any
    },
    stop() {
      for (const page of [...loading.keys()]) {
        loading.get(page)?.abort()
        loading.delete(page)
      }
    },
  }

  function reload(page: number): void {
    const before = pages.get(page)
    pages.delete(page)
    load(page)
    if (before) pages.set(page, before)
  }
}
