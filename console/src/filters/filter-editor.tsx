import { useState } from 'react'
import { ListInput } from '../forms/list-input.tsx'
import { ValueInput } from '../forms/value-input.tsx'
import type { ValueKind } from '../forms/value-kind.ts'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import type { DescribedField } from '../session/session.ts'
import { type Choice, type Condition, choiceOf, choicesOf, conditionOf, isBare, wordsOf } from './conditions.ts'
import { isDay } from './days.ts'

interface Props {
  readonly fields: readonly DescribedField[]
  /** The condition to edit; a new one unless given. */
  readonly condition: Condition | undefined
  /** The field that a new one begins with. */
  readonly first?: string
  readonly onApply: (condition: Condition) => void
  readonly onRemove?: () => void
}

/** What a condition is compared with: a part of a text, one of the values of a list, or a value of the field. */
function operandOf(field: DescribedField, choice: Choice | undefined, value: unknown): ValueKind {
  // A moment in a link stays one; people choose days.
  if (field.Type === 'timestamp' && (value === undefined || value === null || isDay(value))) return { ...field, Type: 'date', Required: false }
  const isPart = field.Type === 'longText' || choice === 'contains' || choice === 'startsWith'
  if (field.Type === 'choices') return { ...field, Type: 'choice', Required: false }
  return isPart ? { Name: '', Type: 'text' } : { ...field, Required: false }
}

export function FilterEditor({ fields, condition, first, onApply, onRemove }: Props) {
  const [name, setName] = useState(condition?.field ?? first ?? fields[0]?.Name ?? '')
  const field = fields.find(({ Name }) => Name === name)
  const choices = field ? choicesOf(field) : []
  const [chosen, setChosen] = useState<Choice | undefined>(condition && choiceOf(condition))
  const choice = chosen !== undefined && choices.includes(chosen) ? chosen : choices[0]
  const [value, setValue] = useState<unknown>(condition?.value ?? undefined)
  const [missing, setMissing] = useState(false)
  const bare = choice !== undefined && isBare(choice)
  const between = choice === 'between'
  const [from, to] = between && Array.isArray(value) ? value : []

  return (
    <form
      className="filter-editor"
      onSubmit={(event) => {
        event.preventDefault()
        const empty = between ? !isDay(from) || !isDay(to) || from > to : value === undefined || value === null || (Array.isArray(value) && value.length === 0)
        setMissing(!bare && empty)
        if (field && choice !== undefined && (bare || !empty)) onApply(conditionOf(field.Name, choice, value))
      }}
    >
      <Field label="Field">
        {(control) => (
          <select
            {...control}
            value={name}
            onChange={(event) => {
              setName(event.target.value)
              setChosen(undefined)
              setValue(undefined)
            }}
          >
            {field === undefined && <option value={name}>{name}</option>}
            {fields.map(({ Name, Label }) => (
              <option key={Name} value={Name}>
                {Label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Condition">
        {(control) => (
          <select
            {...control}
            value={choice ?? ''}
            onChange={(event) => {
              const next = event.target.value
              if ([next, choice].includes('between')) setValue(undefined)
              else if ((next === 'in') !== (choice === 'in')) setValue(next === 'in' ? (value === undefined || value === null ? [] : [value]) : undefined)
              setChosen(next)
            }}
          >
            {choices.map((one) => (
              <option key={one} value={one}>
                {wordsOf(one, field?.Type)}
              </option>
            ))}
          </select>
        )}
      </Field>
      {between && (
        <div className="filter-between">
          <Field label="From">
            {(control) => <input {...control} type="date" value={from ?? ''} onChange={(event) => setValue([event.target.value, to])} />}
          </Field>
          <Field label="To" fault={missing ? (isDay(from) && isDay(to) ? 'Must not be before From.' : 'Enter both days.') : undefined}>
            {(control) => <input {...control} type="date" value={to ?? ''} onChange={(event) => setValue([from, event.target.value])} />}
          </Field>
        </div>
      )}
      {field && !bare && !between && (
        <Field label="Value" fault={missing ? 'Enter a value.' : undefined}>
          {(control) =>
            choice === 'in' ? (
              <ListInput control={control} kind={field} values={Array.isArray(value) ? value : []} onChange={setValue} />
            ) : (
              <ValueInput control={control} kind={operandOf(field, choice, value)} value={value} onChange={setValue} />
            )
          }
        </Field>
      )}
      <div className="popover-acts">
        {onRemove && (
          <Button kind="danger" onClick={onRemove}>
            Remove
          </Button>
        )}
        <Button kind="primary" type="submit" disabled={!field}>
          Apply
        </Button>
      </div>
    </form>
  )
}
