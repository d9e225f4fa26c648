import { CrmError } from 'crm-connector'
import { useState } from 'react'
import { useWrite } from '../data/write.ts'
import { useSession } from '../session/session.ts'
import { readRow, updateRow } from './calls.ts'
import { doneText } from './create-dialog.tsx'
import type { RecordSchema, Row } from './record-schema.ts'

interface Handlers {
  readonly onDone: (row: Row) => void
  readonly onUndone: () => void
}

interface Save {
  /** Whether it was saved. */
  readonly save: (onto: Row, changes: Row) => Promise<boolean>
  readonly busy: boolean
  readonly error: unknown
  /** The record as it is now, where it has changed since it was shown: nothing is overwritten without asking. */
  readonly current: Row | undefined
  /** Goes on after a conflict was decided. */
  readonly resolve: () => void
}

/** Saves changes of a record onto the revision that was shown, with Undo. */
export function useSave(schema: RecordSchema, { onDone, onUndone }: Handlers): Save {
  const { crm } = useSession()
  const write = useWrite()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [current, setCurrent] = useState<Row>()

  const save = async (onto: Row, changes: Row) => {
    setBusy(true)
    setError(undefined)
    try {
      const input = { id: onto[schema.id], changes, Revision: onto.Revision }
      const done = doneText(schema, { ...onto, ...changes }, 'saved')
      onDone(await write(done, (options) => updateRow(crm, schema, onto, changes, options), onUndone, { input }))
      return true
    } catch (refusal) {
      const isConflict = refusal instanceof CrmError && refusal.code === 'conflict'
      const now = isConflict ? await readRow(crm, schema, String(onto[schema.id])).catch(() => undefined) : undefined
      if (now && now.Revision !== onto.Revision) setCurrent(now)
      else setError(refusal)
    }
    setBusy(false)
    return false
  }
  return { save, busy, error, current, resolve: () => setCurrent(undefined) }
}
