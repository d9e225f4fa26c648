import { DATES, NUMBERS, RowKeys } from 'crm-connector/files'
import { Field } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Table } from '../parts/table.tsx'
import { numberText } from '../parts/values.tsx'
import { ColumnList } from './column-list.tsx'
import type { Decided } from './importing.ts'
import { slotFor } from './mapping.ts'
import { createPlanner } from './planner.ts'
import { sha256 } from './sha256.ts'
import { shortText } from './short-text.ts'
import type { Slot } from './slots.ts'

interface Props {
  readonly decided: Decided
  readonly obstacles: readonly string[]
  readonly onChange: (decided: Decided) => void
}

const PREVIEWED = 5
/** Fields in the preview. */
const SHOWN = 50

const isKind = (slot: Slot | undefined, ...kinds: readonly string[]) => slot !== undefined && kinds.includes(slot.kind)

/** Which column becomes which field, and the first rows as they will be written. */
export function MappingForm({ decided, obstacles, onChange }: Props) {
  const { sample, columns, destination, choices, written } = decided
  const unread = sample.every(({ fault }) => fault !== undefined) ? sample[0] : undefined
  const slots = columns.map((column) => slotFor(destination, column, choices.get(column)))
  const choose = (column: string, choice: string) => onChange({ ...decided, choices: new Map([...choices, [column, choice]]) })
  return (
    <>
      {unread && (
        <p className="files-obstacles" role="alert">
          <Icon name="warning" size={16} />
          <span>{`None of the first ${numberText(sample.length)} rows can be read. Line ${unread.line}: ${unread.fault}`}</span>
        </p>
      )}
      <ColumnList decided={decided} onChoose={choose} />
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
          ...slots.slice(0, SHOWN).map(({ name, label, kind }) => ({
            title: label,
            number: kind === 'number' || kind === 'integer' || kind === 'money',
            cell: ({ values }: (typeof rows)[number]) => shortText(values[name]),
          })),
          ...(rows.some(({ error }) => error !== undefined)
            ? [{ title: 'Wrong', cell: ({ error }: (typeof rows)[number]) => <span className="files-wrong">{error}</span> }]
            : []),
        ]}
      />
    </section>
  )
}
