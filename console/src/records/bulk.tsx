import type { BatchAnswer } from 'crm-connector'
import { LIMITS } from 'crm-connector/contract'
import { type ReactNode, useState } from 'react'
import { messageOf } from '../data/write.ts'
import type { RowPages } from '../grid/row-pages.ts'
import { Button } from '../parts/button.tsx'
import { useToast } from '../parts/toasts.tsx'
import { useSession } from '../session/session.ts'
import { BulkDeleteDialog, BulkEditDialog } from './bulk-dialogs.tsx'
import { deleteInput, updateInput } from './calls.ts'
import type { Kind, Row } from './kind.ts'

interface Chosen {
  readonly has: (id: string) => boolean
  readonly toggle: (row: Row, index: number, range: boolean) => void
}

interface Props {
  readonly kind: Kind
  readonly rows: RowPages<Row>
  readonly onDone: () => void
  readonly children: (chosen: Chosen | undefined) => ReactNode
}

type Call = { readonly Operation: string; readonly Input: Row }

/** What a batch came to: what was written, and what was refused of it. */
export interface Came {
  readonly changes: readonly string[]
  readonly refused: readonly { readonly row: Row; readonly message: string }[]
}

/** Choosing rows, and what can be done with all of them at once. */
export function Bulk({ kind, rows, onDone, children }: Props) {
  const { crm, mayUndo } = useSession()
  const toast = useToast()
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map())
  const [anchor, setAnchor] = useState(0)
  const [asked, setAsked] = useState<'edit' | 'delete'>()
  const [update, remove] = [kind.operation('update'), kind.operation('delete')]
  if (!update && !remove) return children(undefined)

  const toggle = (row: Row, index: number, range: boolean) => {
    const next = new Map(chosen)
    const id = String(row[kind.id])
    const wanted = !next.has(id)
    const [from, to] = range ? [Math.min(anchor, index), Math.max(anchor, index)] : [index, index]
    for (let at = from; at <= to; at++) {
      const one = rows.rowAt(at)
      if (one && wanted) next.set(String(one[kind.id]), one)
      else if (one) next.delete(String(one[kind.id]))
    }
    setChosen(next)
    setAnchor(index)
  }

  const run = async (calls: readonly Call[]): Promise<BatchAnswer['Results']> => {
    const results: BatchAnswer['Results'] = []
    for (let from = 0; from < calls.length; from += LIMITS.batch)
      results.push(...(await crm.batch({ Operations: calls.slice(from, from + LIMITS.batch) })).Results)
    return results
  }
  const carryOut = async (done: string, callFor: (row: Row) => Call): Promise<Came> => {
    const all = [...chosen.values()]
    const results = await run(all.map(callFor))
    const changes = results.flatMap(({ ChangeID }) => ChangeID ?? [])
    const refused = results.flatMap(({ Error: problem }, nth) =>
      problem && all[nth] ? [{ row: all[nth], message: problem.plan ? 'It waits to be confirmed.' : problem.detail }] : [],
    )
    const text = `${changes.length} of ${all.length} ${kind.many} ${done}.`
    const undo = {
      label: 'Undo',
      async act() {
        try {
          const back = await run([...changes].reverse().map((ChangeID) => ({ Operation: 'undo_change', Input: { ChangeID } })))
          const kept = back.filter((one) => one.Error).length
          toast(kept === 0 ? { text: `Undone: ${text}` } : { text: `${kept} could not be undone; they have changed since.`, bad: true })
        } catch (error) {
          toast({ text: `Not undone: ${messageOf(error)}`, bad: true })
        }
        onDone()
      },
    }
    toast({ text, ...(changes.length > 0 && mayUndo({ gone: done === 'deleted' }) && { act: undo }), ...(refused.length > 0 && { bad: true }) })
    setChosen(new Map(refused.map(({ row }) => [String(row[kind.id]), row])))
    onDone()
    return { changes, refused }
  }
  const common = { kind, count: chosen.size, onClose: () => setAsked(undefined) }
  return (
    <>
      {children({ has: (id) => chosen.has(id), toggle })}
      {chosen.size > 0 && (
        <section className="records-bulk" aria-label="Chosen rows">
          <strong>{chosen.size} chosen</strong>
          {update && (
            <Button small icon="edit" onClick={() => setAsked('edit')}>
              Edit a field
            </Button>
          )}
          {remove && (
            <Button small kind="danger" icon="delete" onClick={() => setAsked('delete')}>
              Delete
            </Button>
          )}
          <Button small kind="quiet" onClick={() => setChosen(new Map())}>
            Choose none
          </Button>
        </section>
      )}
      {asked === 'edit' && update && (
        <BulkEditDialog
          {...common}
          onEdit={(changes) => carryOut('changed', (row) => ({ Operation: update.id, Input: updateInput(kind, row, changes, true) }))}
        />
      )}
      {asked === 'delete' && remove && (
        <BulkDeleteDialog
          {...common}
          rows={[...chosen.values()]}
          onDelete={() => carryOut('deleted', (row) => ({ Operation: remove.id, Input: deleteInput(kind, row) }))}
        />
      )}
    </>
  )
}
