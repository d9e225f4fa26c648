import type { BatchAnswer } from 'crm-connector'
import { LIMITS } from 'crm-connector/contract'
import { type ReactNode, useState } from 'react'
import { messageOf } from '../data/write.ts'
import type { RowPages } from '../grid/row-pages.ts'
import { Button } from '../parts/button.tsx'
import { useToast } from '../parts/toasts.tsx'
import { useSession } from '../session/session.ts'
import { type BatchResult, BulkDeleteDialog, BulkEditDialog } from './bulk-dialogs.tsx'
import { deleteInput, updateInput } from './calls.ts'
import type { RecordSchema, Row } from './record-schema.ts'

interface Selection {
  readonly has: (id: string) => boolean
  readonly toggle: (row: Row, index: number, range: boolean) => void
}

interface Props {
  readonly schema: RecordSchema
  readonly rows: RowPages<Row>
  readonly onDone: () => void
  readonly children: (selected: Selection | undefined) => ReactNode
}

type Call = { readonly Operation: string; readonly Input: Row }

/** Selects rows, and edits or deletes them together. */
export function Bulk({ schema, rows, onDone, children }: Props) {
  const { crm, mayUndo } = useSession()
  const toast = useToast()
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map())
  const [anchor, setAnchor] = useState(0)
  const [dialog, setDialog] = useState<'edit' | 'delete'>()
  const [update, remove] = [schema.operation('update'), schema.operation('delete')]
  if (!update && !remove) return children(undefined)

  const toggle = (row: Row, index: number, range: boolean) => {
    const next = new Map(selected)
    const id = String(row[schema.id])
    const wanted = !next.has(id)
    const [from, to] = range ? [Math.min(anchor, index), Math.max(anchor, index)] : [index, index]
    for (let at = from; at <= to; at++) {
      const one = rows.rowAt(at)
      if (one && wanted) next.set(String(one[schema.id]), one)
      else if (one) next.delete(String(one[schema.id]))
    }
    setSelected(next)
    setAnchor(index)
  }

  const run = async (calls: readonly Call[]): Promise<BatchAnswer['Results']> => {
    const results: BatchAnswer['Results'] = []
    for (let from = 0; from < calls.length; from += LIMITS.batch)
      results.push(...(await crm.batch({ Operations: calls.slice(from, from + LIMITS.batch) })).Results)
    return results
  }
  const runBatch = async (done: string, callFor: (row: Row) => Call): Promise<BatchResult> => {
    const all = [...selected.values()]
    const results = await run(all.map(callFor))
    const changes = results.flatMap(({ ChangeID }) => ChangeID ?? [])
    const refused = results.flatMap(({ Error: problem }, nth) =>
      problem && all[nth] ? [{ row: all[nth], message: problem.plan ? 'Waiting for confirmation.' : problem.detail }] : [],
    )
    const text = `${changes.length} of ${all.length} ${schema.many} ${done}.`
    const undo = {
      label: 'Undo',
      async act() {
        try {
          const undone = await run([...changes].reverse().map((ChangeID) => ({ Operation: 'undo_change', Input: { ChangeID } })))
          const failed = undone.filter((one) => one.Error).length
          toast(failed === 0 ? { text: `Undone: ${text}` } : { text: `${failed} of ${undone.length} not undone: they have changed since.`, bad: true })
        } catch (error) {
          toast({ text: `Not undone: ${messageOf(error)}`, bad: true })
        }
        onDone()
      },
    }
    toast({ text, ...(changes.length > 0 && mayUndo({ deleted: done === 'deleted' }) && { act: undo }), ...(refused.length > 0 && { bad: true }) })
    setSelected(new Map(refused.map(({ row }) => [String(row[schema.id]), row])))
    onDone()
    return { changes, refused }
  }
  const shared = { schema, count: selected.size, onClose: () => setDialog(undefined) }
  return (
    <>
      {children({ has: (id) => selected.has(id), toggle })}
      {selected.size > 0 && (
        <section className="records-bulk" aria-label="Selected rows">
          <strong>{selected.size} selected</strong>
          {update && (
            <Button small icon="edit" onClick={() => setDialog('edit')}>
              Edit field
            </Button>
          )}
          {remove && (
            <Button small kind="danger" icon="delete" onClick={() => setDialog('delete')}>
              Delete
            </Button>
          )}
          <Button small kind="quiet" onClick={() => setSelected(new Map())}>
            Clear selection
          </Button>
        </section>
      )}
      {dialog === 'edit' && update && (
        <BulkEditDialog
          {...shared}
          onEdit={(changes) => runBatch('changed', (row) => ({ Operation: update.id, Input: updateInput(schema, row, changes, true) }))}
        />
      )}
      {dialog === 'delete' && remove && (
        <BulkDeleteDialog
          {...shared}
          rows={[...selected.values()]}
          onDelete={() => runBatch('deleted', (row) => ({ Operation: remove.id, Input: deleteInput(schema, row) }))}
        />
      )}
    </>
  )
}
