import { useCallback, useEffect, useRef, useState } from 'react'
import { useLive } from '../data/live.tsx'
import type { RowPages } from '../grid/row-pages.ts'
import { useSession } from '../session/session.ts'
import { flat } from './calls.ts'
import type { RecordSchema, Row } from './record-schema.ts'

interface LiveRows {
  /** How many events arrived that the table does not show. */
  readonly changes: number
  readonly isDeleted: (row: Row) => boolean
  readonly refresh: () => void
  /** Refreshes after a write from this page. */
  readonly afterWrite: () => void
}

/** Events of the user's own writes within this time are not counted. */
const OWN_MS = 3000

/**
 * Updates a table without moving its rows: changed values are patched in place. Events that may add, remove or reorder rows are counted,
 * and applied when the user refreshes.
 */
export function useLiveRows(schema: RecordSchema, rows: Pick<RowPages<Row>, 'patch' | 'refresh'>, affecting: readonly string[], recount: () => void): LiveRows {
  const { me } = useSession()
  const [changes, setChanges] = useState(0)
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set())
  const lastWrite = useRef(0)

  useEffect(() => {
    setChanges(0)
    setDeleted(new Set())
  }, [rows])

  useLive((event) => {
    if (event.RecordType !== schema.recordType) return
    const record = event.Record as Row | null
    if (schema.objectName !== undefined && record && record.ObjectName !== schema.objectName) return
    const verb = event.Type.split('.')[1]
    const isOwn = event.UserID === me.UserID && Date.now() - lastWrite.current < OWN_MS
    if (verb === 'updated' && record) {
      const next = flat(schema, record)
      const isShown = rows.patch((row) => (row[schema.id] === event.RecordID && Number(row.Revision) < Number(next.Revision) ? { ...row, ...next } : row))
      if (isShown && !event.ChangedFields.some((field) => affecting.includes(field))) return
    } else if (verb === 'deleted' || verb === 'erased') setDeleted((all) => new Set([...all, event.RecordID]))
    else if (verb !== 'created') return
    if (!isOwn) setChanges((count) => count + 1)
  })

  const refresh = useCallback(() => {
    setChanges(0)
    setDeleted(new Set())
    rows.refresh()
    recount()
  }, [rows, recount])
  const afterWrite = useCallback(() => {
    lastWrite.current = Date.now()
    refresh()
  }, [refresh])
  const isDeleted = useCallback((row: Row) => deleted.has(String(row[schema.id])), [deleted, schema])
  return { changes, isDeleted, refresh, afterWrite }
}
