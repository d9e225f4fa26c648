import { CUSTOM_TYPE_NAMES, cellOf, type FileRow } from 'crm-connector/files'
import { useMemo, useState } from 'react'
import { CUSTOM_TYPE_WORDS } from '../custom-objects/custom-types.ts'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { numberText } from '../parts/values.tsx'
import { type ChosenFile, choiceFor, fieldsOf, newFieldFor } from './choices.ts'
import { shortText } from './short-text.ts'

/** Columns shown at once: each has a list of all fields, and thousands of them make the page slow. */
const SHOWN = 100

interface Props {
  readonly chosen: ChosenFile
  readonly onChoose: (column: string, choice: string) => void
}

/** The columns of a file, each with the field that it goes to. */
export function ColumnList({ chosen, onChoose }: Props) {
  const { columns } = chosen.plan
  const [search, setSearch] = useState('')
  const [most, setMost] = useState(SHOWN)
  const fitting = useMemo(() => columns.filter((column) => column.toLowerCase().includes(search.trim().toLowerCase())), [columns, search])
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
              value={search}
              onChange={(event) => {
                setSearch(event.target.value)
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
          <ColumnLine key={column} column={column} chosen={chosen} onChoose={onChoose} />
        ))}
        {fitting.length > shown.length && (
          <div className="files-more">
            <Button small onClick={() => setMost(most + SHOWN)}>
              More columns
            </Button>
            <span className="soft">{`${numberText(shown.length)} of ${numberText(fitting.length)}`}</span>
          </div>
        )}
        {fitting.length === 0 && <p className="soft files-more">No column matches.</p>}
      </section>
    </>
  )
}

function ColumnLine({ column, chosen: { prepared, plan }, onChoose }: Props & { readonly column: string }) {
  const { field, leftOut, several } = plan.mapping.of(column)
  const newField = newFieldFor(plan, column)
  return (
    <div className="files-column">
      <div>
        <strong>{shortText(column)}</strong>
        <small>{example(prepared.rows, column)}</small>
      </div>
      <div>
        <select className="input" aria-label={`Field for ${column}`} value={choiceFor(plan, column)} onChange={(event) => onChoose(column, event.target.value)}>
          <option value="">— leave out —</option>
          <optgroup label="Fields">
            {fieldsOf(prepared).map(({ name, label, required }) => (
              <option key={name} value={name}>
                {label === name ? name : `${label} (${name})`}
                {required ? ' *' : ''}
              </option>
            ))}
          </optgroup>
          {newField !== undefined && (
            <optgroup label="A new field">
              {CUSTOM_TYPE_NAMES.map((type) => (
                <option key={type} value={`+${type}`}>
                  {newField}: {CUSTOM_TYPE_WORDS[type]}
                </option>
              ))}
            </optgroup>
          )}
        </select>
        <small>
          {field
            ? field.step === 'attach' && 'added to the record'
            : leftOut === 'no owner'
              ? 'left out: no user has one of these names or e-mail addresses'
              : leftOut === 'second owner'
                ? 'left out: another column has the owners too'
                : several
                  ? `is the label of ${several.join(' and ')}`
                  : ''}
        </small>
      </div>
    </div>
  )
}

function example(sample: readonly FileRow[], column: string): string {
  const row = sample.find((one) => shortText(cellOf(one, column)) !== '')
  if (row) return shortText(cellOf(row, column))
  return sample.some(({ fault }) => fault === undefined) ? 'empty' : ''
}
