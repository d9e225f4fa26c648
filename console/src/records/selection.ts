import type { Crm } from 'crm-connector'
import { useCallback, useEffect, useRef, useState } from 'react'
import { messageOf } from '../data/error-text.ts'
import { revisedAfterOwnWrites } from '../data/own-revisions.ts'
import type { RowPages } from '../grid/row-pages.ts'
import { useToast } from '../parts/toasts.tsx'
import { useSession } from '../session/session.ts'
import type { RowQuery } from './calls.ts'
import { collectRows, type Place, rowsBetween } from './collect.ts'
import type { RecordSchema, Row } from './record-schema.ts'

export interface Selection {
  /** By id, as they were when they were selected. */
  readonly rows: ReadonlyMap<string, Row>
  /** The rows to write to. Their Revision is that of when they were selected, or what this page itself has made of it, so that what others have changed since is refused. */
  readonly toWrite: () => readonly Row[]
  readonly has: (id: string) => boolean
  /** Whether all rows of the table are selected. */
  readonly all: boolean | 'mixed'
  readonly toggle: (row: Row, index: number, range: boolean) => void
  /** Selects all loaded rows, or none where they are selected already. */
  readonly toggleAll: () => void
  /** Selects all that match, loaded or not. */
  readonly selectMatches: () => void
  /** How many were found so far, while that runs. */
  readonly collected: number | undefined
  /** How many match by the last such search, which counts also what has no summary; until `recount`. */
  readonly counted: number | undefined
  readonly recount: () => void
  readonly stop: () => void
  readonly replace: (rows: readonly Row[]) => void
}

interface Question {
  readonly schema: RecordSchema
  readonly filters: RowQuery['filters']
  readonly rows: RowPages<Row>
  /** The rows are still those of the filters before. */
  readonly loading: boolean
  readonly total: number | undefined
}

interface State {
  /** The question whose answers are selected: with another one, nothing is. */
  readonly asked: string
  readonly rows: ReadonlyMap<string, Row>
  /** Where a range begins. */
  readonly anchor?: Place | undefined
  readonly collected?: number
  readonly counted?: number | undefined
}

/** The selection of the last table, to restore it when the user comes back from a record. */
let last: { readonly crm: Crm; readonly state: State } | undefined

const NONE: ReadonlyMap<string, Row> = new Map()

/**
 * The selected rows of a table. Other filters clear it, so that no row is selected that the filters do not show; another order leaves it as it is. A range has
 * every row between its ends, or is refused. It is kept while a record is opened.
 */
export function useSelection({ schema, filters, rows, loading, total }: Question): Selection {
  const { crm } = useSession()
  const toast = useToast()
  const asked = JSON.stringify([schema.path, filters])
  const [state, setState] = useState<State>(() => (last?.crm === crm && last.state.asked === asked ? last.state : { asked, rows: NONE }))
  const { rows: selected, anchor, collected, counted }: Omit<State, 'asked'> = state.asked === asked ? state : { rows: NONE }
  // Of what loads rows only the latest counts.
  const work = useRef(new AbortController())
  const begin = () => {
    work.current.abort()
    work.current = new AbortController()
    return work.current.signal
  }
  useEffect(() => {
    setState((before) => (before.asked === asked ? before : { asked, rows: NONE }))
    return () => work.current.abort()
  }, [asked])
  useEffect(() => {
    const { collected: underWay, ...kept } = state
    last = { crm, state: kept }
  }, [crm, state])

  const idOf = (row: Row) => String(row[schema.id])
  const byId = (all: readonly Row[]) => all.map((row) => [idOf(row), row] as const)
  const set = (next: ReadonlyMap<string, Row>, more?: Omit<State, 'asked' | 'rows'>) => setState({ asked, rows: next, counted, ...more })

  const toggle = async (row: Row, index: number, range: boolean) => {
    if (loading) return
    const signal = begin()
    const place = { id: idOf(row), index }
    const wanted = !selected.has(place.id)
    const between = range && anchor ? await rowsBetween(rows, idOf, anchor, place).catch(() => undefined) : [row]
    if (signal.aborted) return
    if (!between) return toast({ text: 'Nothing was selected: the rows in between have changed. Select the first row again.', bad: true })
    const next = new Map(wanted ? [...selected, ...byId(between)] : selected)
    if (!wanted) for (const one of between) next.delete(idOf(one))
    set(next, { anchor: place })
  }

  const selectMatches = async () => {
    const signal = begin()
    const show = (found: number) => signal.aborted || set(selected, { anchor, collected: found })
    show(0)
    try {
      const found = await collectRows(crm, schema, filters, signal, show)
      if (signal.aborted) return
      set(new Map(byId(found)), { counted: found.length })
    } catch (error) {
      if (signal.aborted) return
      set(selected, { anchor })
      toast({ text: `Not all could be selected: ${messageOf(error)}`, bad: true })
    }
  }

  return {
    rows: selected,
    toWrite: () => [...selected].map(([id, row]) => revisedAfterOwnWrites(id, row)),
    has: (id) => selected.has(id),
    all: selected.size === 0 ? false : (selected.size === (total ?? counted) && rows.loadedRows().every((row) => selected.has(idOf(row)))) || 'mixed',
    toggle: (row, index, range) => void toggle(row, index, range),
    toggleAll() {
      if (loading) return
      begin()
      const loaded = byId(rows.loadedRows())
      set(loaded.every(([id]) => selected.has(id)) ? NONE : new Map([...selected, ...loaded]))
    },
    selectMatches: () => void selectMatches(),
    collected,
    counted,
    recount: useCallback(() => setState((before) => ({ ...before, counted: undefined })), []),
    stop() {
      begin()
      set(selected, { anchor })
    },
    replace(next) {
      begin()
      set(new Map(byId(next)))
    },
  }
}
