import { CrmError } from 'crm-connector'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { retryPause } from '../data/retry.ts'
import { messageOf, useWrite } from '../data/write.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useToast } from '../parts/toasts.tsx'
import { readRow, updateRow } from '../records/calls.ts'
import { Conflict } from '../records/conflict.tsx'
import { ConvertDialog } from '../records/convert-dialog.tsx'
import { isConversion } from '../records/convertible.ts'
import { nameOf, type RecordSchema, type Row } from '../records/record-schema.ts'
import { useSession } from '../session/session.ts'

interface Handlers {
  /** The record as it will be after the move, as it is then, or as it is now where the move was given up. */
  readonly onRow: (row: Row) => void
  readonly onMoved: () => void
  /** The row as it was before the move that was undone. */
  readonly onUndone: (row: Row) => void
}

interface Stale {
  readonly row: Row
  readonly now: Row
  readonly to: string
}

interface Converting {
  readonly row: Row
  readonly end: (converted: boolean) => void
}

/**
 * Moves records to another stage or status, with Undo. A record that was changed meanwhile is not overwritten: both versions are shown.
 * A lead becomes converted by its conversion, which asks first: the status alone would say that there is a contact.
 * Where the answer is lost, the record is read back, so that what is said and shown is true. Resolves to whether it was moved.
 */
export function useMove(
  schema: RecordSchema,
  state: string,
  { onRow, onMoved, onUndone }: Handlers,
): { readonly move: (row: Row, to: string) => Promise<boolean>; readonly dialog: ReactNode } {
  const { crm } = useSession()
  const write = useWrite()
  const toast = useToast()
  const [stale, setStale] = useState<Stale>()
  const [converting, setConverting] = useState<Converting>()
  const left = useRef(new AbortController())
  useEffect(() => {
    left.current = new AbortController()
    return () => left.current.abort()
  }, [])

  const convert = async (row: Row): Promise<boolean> => {
    const id = String(row[schema.id])
    // The rows of a board have the fields of its cards only.
    const whole = (await readRow(crm, schema, id).catch(() => undefined)) ?? row
    const isConverted = await new Promise<boolean>((end) => setConverting({ row: whole, end }))
    setConverting(undefined)
    onRow((isConverted && (await readRow(crm, schema, id).catch(() => undefined))) || row)
    if (isConverted) onMoved()
    return isConverted
  }

  /** The record as it is once the service answers; undefined where that cannot be read. */
  const readBack = async (row: Row, to: string): Promise<Row | undefined> => {
    const { signal } = left.current
    for (let told = false; !signal.aborted; told = true) {
      try {
        return await readRow(crm, schema, String(row[schema.id]), { signal })
      } catch (error) {
        if (!(error instanceof CrmError && error.code === 'platform_unavailable')) break
      }
      onRow(row)
      if (!told) toast({ text: `It is not known whether ${nameOf(schema, row)} was moved to ${to}. It is looked up once the service answers.`, bad: true })
      await retryPause()
    }
    return undefined
  }

  const move = async (row: Row, to: string): Promise<boolean> => {
    if (isConversion(schema, to)) return convert(row)
    onRow({ ...row, [state]: to })
    const changes = { [state]: to }
    const input = { id: row[schema.id], changes, Revision: row.Revision }
    const text = `${nameOf(schema, row)} moved to ${to}.`
    const send = () =>
      write(
        text,
        (options) => updateRow(crm, schema, row, changes, options),
        () => onUndone(row),
        { input },
      )
    const moved = (now: Row) => {
      onRow(now)
      onMoved()
      return true
    }
    try {
      return moved(await send())
    } catch (refusal) {
      const code = refusal instanceof CrmError ? refusal.code : undefined
      const isLost = code === 'outcome_unknown'
      const now = isLost ? await readBack(row, to) : code === 'conflict' ? await readRow(crm, schema, String(row[schema.id])).catch(() => undefined) : undefined
      if (isLost && now?.[state] === to) {
        // Sent again, it is answered as it was then, with what Undo needs.
        void send().catch(() => toast({ text }))
        return moved(now)
      }
      onRow(now ?? row)
      if (now && now.Revision !== row.Revision) setStale({ row, now, to })
      else if (isLost && !now) toast({ text: `It is not known whether ${nameOf(schema, row)} was moved to ${to}. Open it to see.`, bad: true })
      else toast({ text: `Not moved: ${messageOf(isLost ? new CrmError('platform_unavailable', '') : refusal)}`, bad: true })
      return false
    }
  }

  const close = () => setStale(undefined)
  const dialog = converting ? (
    <ConvertDialog
      schema={schema}
      row={converting.row}
      onClose={() => converting.end(false)}
      onDone={() => converting.end(true)}
      onUndone={() => onUndone(converting.row)}
    />
  ) : (
    stale && (
      <Dialog title={`${nameOf(schema, stale.now)} was not moved`} onClose={close}>
        <Conflict
          schema={schema}
          base={stale.row}
          current={stale.now}
          mine={{ [state]: stale.to }}
          onDiscard={close}
          onOverwrite={() => {
            close()
            void move(stale.now, stale.to)
          }}
        />
      </Dialog>
    )
  )
  return { move, dialog }
}
