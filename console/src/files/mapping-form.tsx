import { createPlanner, DATES, type ImportPlan, NUMBERS, RowKeys, type TargetField } from 'crm-connector/files'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Table } from '../parts/table.tsx'
import { numberText } from '../parts/values.tsx'
import { type ChosenFile, mappedByName, planned, withChoice } from './choices.ts'
import { ColumnList } from './column-list.tsx'
import { MatchChoice } from './match-choice.tsx'
import { sha256 } from './sha256.ts'
import { shortText } from './short-text.ts'

interface Props {
  readonly chosen: ChosenFile
  readonly obstacles: readonly string[]
  readonly onChange: (chosen: ChosenFile) => void
}

const PREVIEWED = 5
/** Fields in the preview. */
const SHOWN = 50

const NUMBER_KINDS: readonly string[] = ['number', 'integer', 'money']
const isNumber = ({ kindOf }: ImportPlan, field: TargetField) => NUMBER_KINDS.includes(kindOf(field))

/** Which column becomes which field, and the first rows as they will be written. */
export function MappingForm({ chosen, obstacles, onChange }: Props) {
  const { plan, formats } = chosen
  const { rows } = chosen.sample
  const unreadable = rows.every(({ fault }) => fault !== undefined) ? rows[0] : undefined
  const fields = plan.mapping.columns.flatMap(({ field }) => field ?? [])
  return (
    <>
      {unreadable && (
        <p className="files-obstacles" role="alert">
          <Icon name="warning" size={16} />
          <span>{`None of the first ${numberText(rows.length)} rows can be read. Line ${unreadable.line}: ${unreadable.fault}`}</span>
        </p>
      )}
      {chosen.isRemembered && (
        <div className="files-same">
          <p className="files-note">Mapped as you mapped the last file with these columns.</p>
          <Button small onClick={() => onChange(mappedByName(chosen))}>
            Map by name
          </Button>
        </div>
      )}
      <ColumnList chosen={chosen} onChoose={(column, choice) => onChange(withChoice(chosen, column, choice))} />
      <MatchChoice chosen={chosen} onChange={onChange} />
      <div className="files-ways">
        {fields.some((field) => isNumber(plan, field)) && (
          <Field label="Numbers are written as">
            {(control) => (
              <select
                {...control}
                value={formats.numbers}
                onChange={(event) => onChange(planned({ ...chosen, formats: { ...formats, numbers: event.target.value as keyof typeof NUMBERS } }))}
              >
                {Object.keys(NUMBERS).map((format) => (
                  <option key={format}>{format}</option>
                ))}
              </select>
            )}
          </Field>
        )}
        {fields.some((field) => plan.kindOf(field) === 'date') && (
          <Field label="Dates are written as">
            {(control) => (
              <select
                {...control}
                value={formats.dates}
                onChange={(event) => onChange(planned({ ...chosen, formats: { ...formats, dates: event.target.value as keyof typeof DATES } }))}
              >
                {Object.keys(DATES).map((format) => (
                  <option key={format}>{format}</option>
                ))}
              </select>
            )}
          </Field>
        )}
      </div>
      {obstacles.length > 0 ? (
        <ul className="files-obstacles" role="alert">
          {obstacles.map((one) => (
            <li key={one}>
              <Icon name="warning" size={16} /> {one}
            </li>
          ))}
        </ul>
      ) : (
        <Preview chosen={chosen} fields={fields} />
      )}
    </>
  )
}

function Preview({ chosen: { plan, sample }, fields }: { readonly chosen: ChosenFile; readonly fields: readonly TargetField[] }) {
  const planRow = createPlanner(plan, { keys: new RowKeys('', sha256) })
  const rows = sample.rows.slice(0, PREVIEWED).map((row) => {
    const calls = planRow(row)
    if ('error' in calls) return { line: row.line, values: {} as { [name: string]: unknown }, error: calls.error }
    const custom = Object.entries((calls.input.Fields ?? {}) as { [name: string]: { Value?: unknown } }).map(([name, { Value }]) => [name, Value])
    return { line: row.line, values: { ...calls.input, ...Object.fromEntries(custom), ...calls.changes, ...calls.attached } as { [name: string]: unknown } }
  })
  return (
    <section className="files-preview" aria-label="Preview">
      <h3>The first rows</h3>
      <Table
        label="The first rows as they will be written"
        rows={rows}
        keyOf={({ line }) => String(line)}
        columns={[
          { title: 'Line', number: true, cell: ({ line }) => line },
          ...fields.slice(0, SHOWN).map((field) => ({
            title: field.label,
            number: isNumber(plan, field),
            cell: ({ values }: (typeof rows)[number]) => shortText(values[field.name]),
          })),
          ...(rows.some(({ error }) => error !== undefined)
            ? [{ title: 'Error', cell: ({ error }: (typeof rows)[number]) => <span className="files-wrong">{error}</span> }]
            : []),
        ]}
      />
    </section>
  )
}
