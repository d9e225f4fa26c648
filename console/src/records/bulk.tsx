import { useLayoutEffect, useRef, useState } from 'react'
import { noteUndoneBatch } from '../data/own-revisions.ts'
import { useUndoBatch } from '../data/undo-batch.ts'
import { refusedUndo } from '../data/undo-refusal.ts'
import { newKey } from '../data/write.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { useToast } from '../parts/toasts.tsx'
import { numberText } from '../parts/values.tsx'
import { hrefOf } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { usePageCommands } from '../shell/palette/page-commands.ts'
import { BulkDeleteDialog, type Verb } from './bulk-dialogs.tsx'
import { BulkEditDialog } from './bulk-edit-dialog.tsx'
import type { BulkOutcome, BulkWork, OnProgress } from './bulk-run.ts'
import { namesText, outcomeText } from './bulk-words.ts'
import { deleteInput, updateInput } from './calls.ts'
import { rereadRows } from './collect.ts'
import type { RecordSchema, Row } from './record-schema.ts'
import type { Selection } from './selection.ts'

interface Props {
  readonly schema: RecordSchema
  readonly selection: Selection
  /** How many match, if known. */
  readonly total: number | undefined
  /** The filters in words. */
  readonly question: readonly string[]
  readonly onDone: () => void
}

type Asked = { readonly act: 'edit' | 'delete'; readonly first?: string | undefined; readonly rows: readonly Row[]; readonly isAll: boolean }

const NAMED = 2

/** What is selected, and what can be done with it. */
export function Bulk({ schema, selection, total, question, onDone }: Props) {
  const { crm, me, may, mayUndo } = useSession()
  const toast = useToast()
  const undoBatch = useUndoBatch()
  const [dialog, setDialog] = useState<Asked>()
  const [update, remove] = [schema.operation('update'), schema.operation('delete')]
  const { rows, collected } = selection
  // Undo may be long after the change, with other rows selected.
  const latest = useRef(selection)
  latest.current = selection

  // With the last row its bar goes, and with it the focus, which is then the table's, before what is near could take it.
  const had = useRef(false)
  useLayoutEffect(() => {
    if (had.current && rows.size === 0 && document.activeElement === document.body) document.querySelector<HTMLElement>('[role="grid"]')?.focus()
    had.current = rows.size > 0 || dialog !== undefined
  }, [rows.size, dialog])

  const run = (verb: Verb, callFor: BulkWork['callFor']) => async (signal: AbortSignal, onProgress: OnProgress) => {
    const { runBulk } = await import('./bulk-run.ts')
    const work = { batchId: newKey(), rows: dialog?.rows ?? [], id: schema.id, callFor, confirmed: verb === 'deleted' && me.Confirm !== null }
    const outcome = await runBulk(crm, work, signal, onProgress)
    const refused = outcome.refused.map(({ row }) => row)
    selection.replace([...(await rereadRows(crm, schema, refused)), ...outcome.left])
    onDone()
    return outcome
  }
  const undoOf = (verb: Verb, outcome: BulkOutcome) => {
    if (outcome.changed === 0 || !mayUndo({ deleted: verb === 'deleted' })) return undefined
    return async () => {
      try {
        const undoId = await undoBatch(outcome.batchId, outcomeText(schema, verb, outcome))
        if (undoId !== undefined && may('get_many_changes')) await noteUndoneBatch(crm, undoId, [...latest.current.rows.keys()])
      } catch (error) {
        toast(refusedUndo(error))
      }
      onDone()
    }
  }
  const tell = (verb: Verb, outcome: BulkOutcome) => {
    const { batchId, changed, refused, left } = outcome
    const act = undoOf(verb, outcome)
    toast({
      text: outcomeText(schema, verb, outcome),
      ...(refused.length + left.length > 0 && { bad: true }),
      ...(changed > 0 && may('get_many_changes') && { open: hrefOf(['changes'], { batch: batchId }) }),
      ...(act && { act: { label: 'Undo', act } }),
    })
  }

  const ask = (act: Asked['act'], first?: string) => setDialog({ act, first, rows: selection.toWrite(), isAll: selection.all === true })
  const selected = rows.size === 1 ? 'the one selected' : `the ${numberText(rows.size)} selected`
  const state = update && schema.editableFields.find(({ Name }) => Name === schema.state)
  const owned = update && schema.editableFields.some(({ Name }) => Name === 'OwnerID')
  usePageCommands(
    rows.size === 0
      ? []
      : [
          ...(state ? [{ title: `Change ${state.Label.toLowerCase()} of ${selected}`, icon: 'edit' as const, act: () => ask('edit', state.Name) }] : []),
          ...(owned ? [{ title: `Change owner of ${selected}`, icon: 'users' as const, act: () => ask('edit', 'OwnerID') }] : []),
          ...(remove ? [{ title: `Delete ${selected}`, icon: 'delete' as const, act: () => ask('delete') }] : []),
        ],
  )
  const shared = dialog && {
    schema,
    rows: dialog.rows,
    question: dialog.isAll ? question : undefined,
    undoOf,
    onTell: tell,
    onClose: () => setDialog(undefined),
  }
  return (
    <>
      {rows.size > 0 && (
        <section className="records-bulk" aria-label="Selected rows">
          <span className="records-selected" role="status">
            <strong>{numberText(rows.size)} selected</strong>
            <span className="soft">{namesText(schema, rows.values(), rows.size, NAMED)}</span>
          </span>
          {collected !== undefined ? (
            <>
              <span className="soft">Selecting … {numberText(collected)}</span>
              <Button small onClick={selection.stop}>
                Stop
              </Button>
            </>
          ) : (
            selection.all !== true && (
              <Button small onClick={selection.selectMatches}>
                {['Select all', total !== undefined && numberText(total), question.length > 0 && 'that match'].filter(Boolean).join(' ')}
              </Button>
            )
          )}
          <span className="records-bulk-acts">
            {update && (
              <Button small icon="edit" aria-label="Edit field" title="Edit field" onClick={() => ask('edit')}>
                Edit field
              </Button>
            )}
            {owned && (
              <Button small icon="users" aria-label="Change owner" title="Change owner" onClick={() => ask('edit', 'OwnerID')}>
                Change owner
              </Button>
            )}
            {remove && (
              <Button small kind="danger" icon="delete" aria-label="Delete" title="Delete" onClick={() => ask('delete')}>
                Delete
              </Button>
            )}
            <IconButton icon="close" label="Clear selection" small onClick={() => selection.replace([])} />
          </span>
        </section>
      )}
      {shared && dialog.act === 'edit' && update && (
        <BulkEditDialog
          {...shared}
          first={dialog.first}
          onEdit={(changes) => run('changed', (row) => ({ Operation: update.id as 'update_lead', Input: updateInput(schema, row, changes) }))}
        />
      )}
      {shared && dialog.act === 'delete' && remove && (
        <BulkDeleteDialog {...shared} onDelete={run('deleted', (row) => ({ Operation: remove.id as 'delete_lead', Input: deleteInput(schema, row) }))} />
      )}
    </>
  )
}
