import { DATES, type FileRow, NUMBERS, RowKeys } from 'crm-connector/files'
import { Field } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Table } from '../parts/table.tsx'
import type { Decided } from './importing.ts'
import { cellOf, columnsOf, NEW_TYPES, slotFor } from './mapping.ts'
import { createPlanner } from './planner.ts'
import { sha256 } from './sha256.ts'
import { newSlot, type Slot } from './slots.ts'

interface Props {
  readonly decided: Decided
  readonly obstacles: readonly string[]
  readonly onChange: (decided: Decided) => void
}

const STEPS = { create: '', update: 'set right after the record is made', attach: 'added to the record' } as const
const PREVIEWED = 5

const isKind = (slot: Slot | undefined, ...kinds: readonly string[]) => slot !== undefined && kinds.includes(slot.kind)

/** Which column becomes which field, and the first rows as they will be written. */
export function MappingForm({ decided, obstacles, onChange }: Props) {
  const { sample, destination, choices, written } = decided
  const columns = columnsOf(sample)
  const slots = columns.map((column) => slotFor(destination, column, choices.get(column)))
  const choose = (column: string, choice: string) => onChange({ ...decided, choices: new Map([...choices, [column, choice]]) })
  return (
    <>
      <section className="files-mapping" aria-label="Columns">
        <div className="files-mapping-head" aria-hidden="true">
          <span>Column of the file</span>
          <span>Field</span>
        </div>
        {columns.map((column, i) => (
          <div key={column} className="files-column">
            <div>
              <strong>{column}</strong>
              <small>{example(sample, column)}</small>
            </div>
            <div>
              <select
                className="input"
                aria-label={`Field for ${column}`}
                value={choices.get(column) ?? ''}
                onChange={(event) => choose(column, event.target.value)}
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
              <small>{slots[i] ? STEPS[slots[i].step] : ''}</small>
            </div>
          </div>
        ))}
      </section>
      <div className="files-ways">
        {slots.some((slot) => isKind(slot, 'number', 'integer', 'money')) && (
          <Field label="Numbers are written as">
            {(control) => (
              <select
                {...control}
                value={written.numbers}
                onChange={(event) => onChange({ ...decided, written: { ...written, numbers: event.target.value as keyof typeof NUMBERS } })}
              >
                {Object.keys(NUMBERS).map((way) => (
                  <option key={way}>{way}</option>
                ))}
              </select>
            )}
          </Field>
        )}
        {slots.some((slot) => isKind(slot, 'date')) && (
          <Field label="Dates are written as">
            {(control) => (
              <select
                {...control}
                value={written.dates}
                onChange={(event) => onChange({ ...decided, written: { ...written, dates: event.target.value as keyof typeof DATES } })}
              >
                {Object.keys(DATES).map((way) => (
                  <option key={way}>{way}</option>
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
        <Preview decided={decided} slots={slots.filter((slot) => slot !== undefined)} />
      )}
    </>
  )
}

function example(sample: readonly FileRow[], column: string): string {
  const cell = sample.map((row) => cellOf(row, column)).find((value) => value !== undefined && value !== null && value !== '')
  return cell === undefined ? 'empty' : typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}

function Preview({ decided, slots }: { readonly decided: Decided; readonly slots: readonly Slot[] }) {
  const plan = createPlanner({ ...decided, keys: new RowKeys('', sha256) })
  const rows = decided.sample.slice(0, PREVIEWED).map((row) => {
    const planned = plan(row)
    if ('error' in planned) return { line: row.line, values: {} as { [name: string]: unknown }, error: planned.error }
    const own = Object.entries((planned.input.Fields ?? {}) as { [name: string]: { Value?: unknown } }).map(([name, { Value }]) => [name, Value])
    return { line: row.line, values: { ...planned.input, ...Object.fromEntries(own), ...planned.changes, ...planned.attached } as { [name: string]: unknown } }
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
          ...slots.map(({ name, label, kind }) => ({
            title: label,
            number: kind === 'number' || kind === 'integer' || kind === 'money',
            cell: ({ values }: (typeof rows)[number]) => textOf(values[name]),
          })),
          ...(rows.some(({ error }) => error !== undefined)
            ? [{ title: 'Wrong', cell: ({ error }: (typeof rows)[number]) => <span className="files-wrong">{error}</span> }]
            : []),
        ]}
      />
    </section>
  )
}

const textOf = (value: unknown) => (value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value))
