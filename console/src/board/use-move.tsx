import { CrmError } from 'crm-connector'
import { type ReactNode, useState } from 'react'
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
 * Resolves to whether it was moved.
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

  const move = async (row: Row, to: string): Promise<boolean> => {
    if (isConversion(schema, to)) return convert(row)
    onRow({ ...row, [state]: to })
    const changes = { [state]: to }
    const input = { id: row[schema.id], changes, Revision: row.Revision }
    try {
      onRow(
        await write(
          `${nameOf(schema, row)} moved to ${to}.`,
          (options) => updateRow(crm, schema, row, changes, options),
          () => onUndone(row),
          { input },
        ),
      )
      onMoved()
      return true
    } catch (refusal) {
      const isConflict = refusal instanceof CrmError && refusal.code === 'conflict'
      const now = isConflict ? await readRow(crm, schema, String(row[schema.id])).catch(() => undefined) : undefined
      onRow(now ?? row)
      if (now && now.Revision !== row.Revision) setStale({ row, now, to })
      else toast({ text: `Not moved: ${messageOf(refusal)}`, bad: true })
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
