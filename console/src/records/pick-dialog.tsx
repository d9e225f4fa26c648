import { useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { Value } from '../grid/cell.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { RefusalLine, Skeleton } from '../parts/states.tsx'
import { Words } from '../parts/words.tsx'
import { useSession } from '../session/session.ts'
import { findEach, findRows } from './calls.ts'
import { nameOf, type RecordSchema, type Row } from './record-schema.ts'
import { asFilters, interpretationsOf } from './search.ts'
import './pick-dialog.css'

interface Props {
  readonly schema: RecordSchema
  readonly title: string
  /** The ids that are left out. */
  readonly without: readonly string[]
  readonly onClose: () => void
  readonly onPick: (row: Row) => Promise<void>
}

const SHOWN = 20

/** Searches for a record and picks it. */
export function PickDialog({ schema, title, without, onClose, onPick }: Props) {
  const { crm } = useSession()
  const [text, setText] = useState('')
  const [refusal, setRefusal] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const state = schema.fields.find(({ Name }) => Name === schema.state)
  const { answer, error } = useAnswer(
    async (signal) => {
      const filters = asFilters(interpretationsOf(schema, text))
      if (filters.length === 0) return (await findRows(crm, schema, { filters: {}, order: undefined, limit: SHOWN }, { signal })).Records
      const all = (await findEach(crm, schema, filters, SHOWN, signal)).flat()
      return [...new Map(all.map((row) => [row[schema.id], row])).values()].slice(0, SHOWN)
    },
    [crm, schema, text.trim()],
  )
  const found = answer?.filter((row) => !without.includes(String(row[schema.id])))
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
      <Field label={`Search ${schema.many}`}>
        {(control) => <input {...control} autoComplete="off" value={text} onChange={(event) => setText(event.target.value)} />}
      </Field>
      {(refusal ?? error) !== undefined && <RefusalLine error={refusal ?? error} />}
      {!found && !error && <Skeleton height="12rem" />}
      {found?.length === 0 && <p className="soft">No {schema.many} found.</p>}
      <ul className="pick-list">
        {found?.map((row) => (
          <li key={String(row[schema.id])}>
            <button type="button" disabled={busy} onClick={() => void pick(row)}>
              <span>
                <Words>{nameOf(schema, row)}</Words>
              </span>
              {state && <Value field={state} value={row[state.Name]} />}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
