import { useCallback, useEffect, useRef, useState } from 'react'
import { useLive } from '../data/live.tsx'
import type { RowPages } from '../grid/row-pages.ts'
import { useSession } from '../session/session.ts'
import { flat } from './calls.ts'
import type { Kind, Row } from './kind.ts'

interface LiveRows {
  /** What has happened that the table does not show. */
  readonly changes: number
  readonly isGone: (row: Row) => boolean
  readonly refresh: () => void
  /** The same, after something that was done here. */
  readonly written: () => void
}

/** What somebody has done just now, they need not be told. */
const OWN_MS = 3000

/**
 * Keeps a table up to date without moving it: a row that is shown and only changes its values changes where it is; whatever may add,
 * remove or reorder rows is counted, for the reader to ask for.
 */
export function useLiveRows(kind: Kind, rows: RowPages<Row>, decisive: readonly string[], counted: () => void): LiveRows {
  const { me } = useSession()
  const [changes, setChanges] = useState(0)
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set())
  const wrote = useRef(0)

  useEffect(() => {
    setChanges(0)
    setGone(new Set())
  }, [rows])

  useLive((event) => {
    if (event.RecordType !== kind.recordType) return
    const record = event.Record as Row | null
    if (kind.objectName !== undefined && record && record.ObjectName !== kind.objectName) return
    const happening = event.Type.split('.')[1]
    const own = event.UserID === me.UserID && Date.now() - wrote.current < OWN_MS
    if (happening === 'updated' && record) {
      const next = flat(kind, record)
      const isShown = rows.patch((row) => (row[kind.id] === event.RecordID && Number(row.Revision) < Number(next.Revision) ? { ...row, ...next } : row))
      if (isShown && !event.ChangedFields.some((field) => decisive.includes(field))) return
    } else if (happening === 'deleted' || happening === 'erased') setGone((all) => new Set([...all, event.RecordID]))
    else if (happening !== 'created') return
    if (!own) setChanges((count) => count + 1)
  })

  const refresh = useCallback(() => {
    setChanges(0)
    setGone(new Set())
    rows.refresh()
    counted()
  }, [rows, counted])
  const written = useCallback(() => {
    wrote.current = Date.now()
    refresh()
  }, [refresh])
  const isGone = useCallback((row: Row) => gone.has(String(row[kind.id])), [gone, kind])
  return { changes, isGone, refresh, written }
}
