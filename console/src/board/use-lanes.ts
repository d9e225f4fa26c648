import type { CrmError } from 'crm-connector'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { RowPages } from '../grid/row-pages.ts'
import { findRows, type RowQuery } from '../records/calls.ts'
import type { RecordSchema, Row } from '../records/record-schema.ts'
import { useSession } from '../session/session.ts'
import { type Lane, type Lanes, NO_CARDS, patched, type State, withPage } from './lanes.ts'

const PAGE = 30
const MOST_RELOADED = 300

type Query = Pick<RowQuery, 'filters' | 'order' | 'select' | 'include'>

export interface BoardRows extends Pick<RowPages<Row>, 'patch' | 'refresh'> {
  /** Loads the next page of a column. */
  load(state: State): void
}

/** The cards of a board, column by column; a column is loaded when it is first seen. */
export function useLanes(schema: RecordSchema, state: string, query: Query): { readonly lanes: Lanes; readonly rows: BoardRows } {
  const { crm } = useSession()
  const [lanes, setLanes] = useState<Lanes>(new Map())
  const current = useRef(lanes)
  const key = JSON.stringify([schema.path, query])

  const rows = useMemo(() => {
    const controller = new AbortController()
    const set = (next: Lanes) => {
      if (controller.signal.aborted) return
      current.current = next
      setLanes(next)
    }
    const laneOf = (value: State) => current.current.get(value) ?? NO_CARDS
    const put = (value: State, lane: Lane) => set(new Map([...current.current, [value, lane]]))
    const ask = (value: State, cursor: string | null | undefined, limit: number, before: () => readonly Row[]) => {
      put(value, { ...laneOf(value), loading: true, error: undefined })
      findRows(crm, schema, { ...query, filters: { ...query.filters, [state]: value }, cursor: cursor ?? null, limit }, { signal: controller.signal }).then(
        ({ Records, NextCursor }) => set(withPage(current.current, value, schema.id, before(), Records, NextCursor)),
        (error: CrmError) => put(value, { ...laneOf(value), loading: false, error }),
      )
    }
    return {
      stop: () => controller.abort(),
      load(value: State) {
        const { cursor, loading } = laneOf(value)
        if (!loading && cursor !== null) ask(value, cursor, PAGE, () => laneOf(value).rows)
      },
      refresh() {
        for (const [value, lane] of current.current) {
          if (lane === NO_CARDS) continue
          const shown = new Set(lane.rows.map((row) => row[schema.id]))
          // A card that was moved here meanwhile stays: the answer may be from before that.
          const movedHere = () => laneOf(value).rows.filter((row) => !shown.has(row[schema.id]))
          ask(value, undefined, Math.min(MOST_RELOADED, Math.max(PAGE, lane.rows.length)), movedHere)
        }
      },
      patch(change: (row: Row) => Row) {
        const next = patched(current.current, state, change)
        const changed = next !== current.current
        if (changed) set(next)
        return changed
      },
    }
  }, [crm, key])

  useEffect(() => {
    current.current = new Map()
    setLanes(current.current)
    return rows.stop
  }, [rows])
  return { lanes, rows }
}
