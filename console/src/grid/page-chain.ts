export interface FoundPage<T> {
  readonly Records: readonly T[]
  readonly NextCursor: string | null
  readonly AsOf?: string
}

/** Asks for a page. Of a page that is only passed on the way to a later one, the number of rows and the cursor will do. */
export type Ask<T> = (cursor: string | null, limit: number, signal: AbortSignal, passed: boolean) => Promise<FoundPage<T>>

/**
 * Rows of any number, of which only the pages near the visible ones are kept. Pages are loaded in order by their cursors; the cursors of
 * all pages seen are kept, so that a dropped page can be loaded again.
 */
export interface PageChain<T> {
  subscribe(changed: () => void): () => void
  version(): number
  /** How many rows can be scrolled to, including placeholders for those still to load. */
  count(): number
  loadedCount(): number
  /** Undefined until the last page was loaded. */
  total(): number | undefined
  /** How old the page is that was loaded last, where it is from a mirror. */
  asOf(): string | undefined
  isLoaded(): boolean
  error(): unknown
  rowAt(index: number): T | undefined
  /** Where the first matching row in memory is; -1 where there is none. */
  indexOf(matches: (row: T) => boolean): number
  /** The rows in memory, in order. */
  loadedRows(): readonly T[]
  /** All rows from the page of this one on, page by page; what was dropped is loaded again. */
  rowsFrom(index: number): AsyncIterable<readonly T[]>
  /** How many rows are between the pages whose cursors are known and this row. */
  distanceTo(index: number): number
  /** Loads the pages of these rows, and drops those far from them. */
  show(first: number, last: number): void
  /** Reloads the visible pages in place. */
  refresh(): void
  /** Replaces rows in place; the function returns the same row where nothing changes. Returns whether any changed. */
  patch(change: (row: T) => T): boolean
  stop(): void
}

const PAGE = 200
/** After this many pages the next ones are longer, for a reader who scrolls far. */
const SHORT_PAGES = 5
const LONG_PAGE = 1000
/** Pages kept before and after the visible ones. */
const KEPT_PAGES = 3
/** The next page is loaded this many rows before its start becomes visible. */
const PREFETCH_ROWS = 60
/** Placeholders before the first answer. */
const PLACEHOLDER_ROWS = 30

export function pageChain<T>(ask: Ask<T>): PageChain<T> {
  const pages = new Map<number, readonly T[]>()
  const loading = new Map<number, AbortController>()
  const listeners = new Set<() => void>()
  /** The cursor and the first row of each page. */
  const cursors: (string | null)[] = [null]
  const starts: number[] = [0]
  let lastLength: number | undefined
  let version = 0
  let error: unknown
  let asOf: string | undefined
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

  const limitOf = (page: number) => (page < SHORT_PAGES ? PAGE : LONG_PAGE)
  const distanceTo = (index: number) => (lastLength === undefined ? Math.max(0, index - (starts.at(-1) ?? 0) - limitOf(starts.length - 1) + 1) : 0)

  function place(page: number, { Records, NextCursor }: FoundPage<T>): void {
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
    const passed = page === cursors.length - 1 && distanceTo(shown.first) > 0
    ask(cursors[page] ?? null, limitOf(page), controller.signal, passed).then(
      (found) => {
        if (controller.signal.aborted) return
        loading.delete(page)
        error = undefined
        // The last page is asked for again, with its rows.
        if (!passed) pages.set(page, found.Records)
        place(page, found)
        asOf = found.AsOf
        show(shown.first, shown.last)
        if (!passed || lastLength !== undefined) changed()
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
    asOf: () => asOf,
    isLoaded: () => version > 0,
    error: () => error,
    rowAt(index) {
      const page = pageAt(index)
      return pages.get(page)?.[index - (starts[page] ?? 0)]
    },
    indexOf(matches) {
      for (const [page, rows] of pages) {
        const nth = rows.findIndex(matches)
        if (nth >= 0) return (starts[page] ?? 0) + nth
      }
      return -1
    },
    loadedRows: () => [...pages].sort(([a], [b]) => a - b).flatMap(([, rows]) => rows),
    async *rowsFrom(index) {
      let start = starts[pageAt(index)] ?? 0
      for (let cursor: string | null | undefined = cursors[pageAt(index)]; cursor !== undefined; ) {
        const page = cursors.indexOf(cursor)
        const loaded = pages.get(page)
        const passed = !loaded && start + LONG_PAGE <= index
        // A page that is loaded again may end elsewhere, so its own cursor is followed.
        const { Records, NextCursor }: { Records: readonly T[]; NextCursor?: string | null | undefined } = loaded
          ? { Records: loaded, NextCursor: cursors[page + 1] }
          : await ask(cursor, LONG_PAGE, new AbortController().signal, passed)
        if (!passed) yield Records
        start += Records.length
        cursor = NextCursor ?? undefined
      }
    },
    distanceTo,
    show,
    refresh() {
      error = undefined
      for (const page of [...pages.keys(), ...loading.keys()]) {
        // The rows stay until the new ones arrive.
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
