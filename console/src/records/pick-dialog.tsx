import { useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { Value } from '../grid/cell.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { RefusalLine, Skeleton } from '../parts/states.tsx'
import { useSession } from '../session/session.ts'
import { findRows } from './calls.ts'
import { type Kind, nameOf, type Row } from './kind.ts'
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

/** Finds one record by its name. */
export function PickDialog({ kind, title, without, onClose, onPick }: Props) {
  const { crm } = useSession()
  const [text, setText] = useState('')
  const [refusal, setRefusal] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const by = kind.titles.at(-1) ?? kind.id
  const label = kind.fields.find(({ Name }) => Name === by)?.Label ?? by
  const state = kind.fields.find(({ Name }) => Name === kind.state)
  const { answer, error } = useAnswer(
    async (signal) =>
      (await findRows(crm, kind, { filters: text.trim() === '' ? {} : { [by]: { contains: text } }, order: undefined, limit: SHOWN }, { signal })).Records,
    [crm, kind, text],
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
      <Field label={`${label} contains`}>
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
