import type { FileRow } from 'crm-connector/files'
import { useMemo, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { numberText } from '../parts/values.tsx'
import type { Decided } from './importing.ts'
import { cellOf, NEW_TYPES, slotFor } from './mapping.ts'
import { shortText } from './short-text.ts'
import { newSlot } from './slots.ts'

const STEPS = { create: '', update: 'set right after the record is made', attach: 'added to the record' } as const

/** So many are shown at once: each is a list of all fields, and the page is slow with thousands of them. */
const SHOWN = 100

interface Props {
  readonly decided: Decided
  readonly onChoose: (column: string, choice: string) => void
}

/** The columns of a file, each with the field that it goes to. */
export function ColumnList({ decided, onChoose }: Props) {
  const { columns } = decided
  const [sought, setSought] = useState('')
  const [most, setMost] = useState(SHOWN)
  const fitting = useMemo(() => columns.filter((column) => column.toLowerCase().includes(sought.trim().toLowerCase())), [columns, sought])
  const shown = fitting.slice(0, most)
  return (
    <>
      {columns.length > SHOWN && (
        <Field label={`Find one of ${numberText(columns.length)} columns`}>
          {(control) => (
            <input
              {...control}
              type="search"
              autoComplete="off"
              spellCheck={false}
              value={sought}
              onChange={(event) => {
                setSought(event.target.value)
                setMost(SHOWN)
              }}
            />
          )}
        </Field>
      )}
      <section className="files-mapping" aria-label="Columns">
        <div className="files-mapping-head" aria-hidden="true">
          <span>Column of the file</span>
          <span>Field</span>
        </div>
        {shown.map((column) => (
          <ColumnLine key={column} column={column} decided={decided} onChoose={onChoose} />
        ))}
        {fitting.length > shown.length && (
          <div className="files-more">
            <Button small onClick={() => setMost(most + SHOWN)}>
              More columns
            </Button>
            <span className="soft">{`${numberText(shown.length)} of ${numberText(fitting.length)}`}</span>
          </div>
        )}
        {fitting.length === 0 && <p className="soft files-more">No column is called anything like that.</p>}
      </section>
    </>
  )
}

function ColumnLine({ column, decided: { sample, destination, choices }, onChoose }: Props & { readonly column: string }) {
  const slot = slotFor(destination, column, choices.get(column))
  return (
    <div className="files-column">
      <div>
        <strong>{shortText(column)}</strong>
        <small>{example(sample, column)}</small>
      </div>
      <div>
        <select
          className="input"
          aria-label={`Field for ${column}`}
          value={choices.get(column) ?? ''}
          onChange={(event) => onChoose(column, event.target.value)}
        >
          <option value="">— leave out —</option>
          <optgroup label="Fields">
            {destination.slots.map(({ name, label, required }) => (
              <option key={name} value={name}>
                {label === name ? name : `${label} (${name})`}
                {required ? ' *' : ''}
              </option>
            ))}
          </optgroup>
          {destination.objectName !== undefined && newSlot(column, 'String') && (
            <optgroup label="A new field">
              {NEW_TYPES.map((type) => (
                <option key={type} value={`+${type}`}>
                  {newSlot(column, type)?.name}: new {type}
                </option>
              ))}
            </optgroup>
          )}
        </select>
        <small>{slot ? STEPS[slot.step] : ''}</small>
      </div>
    </div>
  )
}

function example(sample: readonly FileRow[], column: string): string {
  const row = sample.find((one) => shortText(cellOf(one, column)) !== '')
  if (row) return shortText(cellOf(row, column))
  return sample.some(({ fault }) => fault === undefined) ? 'empty' : ''
}
