import { useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { Value } from '../grid/cell.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { RefusalLine, Skeleton } from '../parts/states.tsx'
import { useSession } from '../session/session.ts'
import { findEach, findRows } from './calls.ts'
import { type Kind, nameOf, type Row } from './kind.ts'
import { asFilters, meaningsOf } from './search.ts'
import './pick-dialog.css'

interface Props {
  readonly kind: Kind
  readonly title: string
  /** Those that cannot be picked any more. */
  readonly without: readonly string[]
  readonly onClose: () => void
  readonly onPick: (row: Row) => Promise<void>
}

const SHOWN = 20

/** Finds one record by its name, or by whatever else it contains. */
export function PickDialog({ kind, title, without, onClose, onPick }: Props) {
  const { crm } = useSession()
  const [text, setText] = useState('')
  const [refusal, setRefusal] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const state = kind.fields.find(({ Name }) => Name === kind.state)
  const { answer, error } = useAnswer(
    async (signal) => {
      const filters = asFilters(meaningsOf(kind, text))
      if (filters.length === 0) return (await findRows(crm, kind, { filters: {}, order: undefined, limit: SHOWN }, { signal })).Records
      const all = (await findEach(crm, kind, filters, SHOWN, signal)).flat()
      return [...new Map(all.map((row) => [row[kind.id], row])).values()].slice(0, SHOWN)
    },
    [crm, kind, text.trim()],
  )
  const found = answer?.filter((row) => !without.includes(String(row[kind.id])))
  const pick = async (row: Row) => {
    setBusy(true)
    try {
      await onPick(row)
    } catch (fault) {
      setRefusal(fault)
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Field label={`Search ${kind.many}`}>
        {(control) => <input {...control} autoComplete="off" value={text} onChange={(event) => setText(event.target.value)} />}
      </Field>
      {(refusal ?? error) !== undefined && <RefusalLine error={refusal ?? error} />}
      {!found && !error && <Skeleton height="12rem" />}
      {found?.length === 0 && <p className="soft">None found.</p>}
      <ul className="pick-list">
        {found?.map((row) => (
          <li key={String(row[kind.id])}>
            <button type="button" disabled={busy} onClick={() => void pick(row)}>
              <span>{nameOf(kind, row)}</span>
              {state && <Value field={state} value={row[state.Name]} />}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
