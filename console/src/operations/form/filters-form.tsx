import type { Family } from 'crm-connector/contract'
import { useId } from 'react'
import { Button, IconButton } from '../../parts/button.tsx'
import { AnyValue } from './any-value.tsx'
import { useDraft } from './draft.ts'
import { type Faults, faultsUnder, faultText } from './faults.ts'
import { type Condition, conditionsIn, filtersOf, OPERATOR_WORDS, operatorsOf, takesNull } from './filters.ts'
import { ListForm } from './list-form.tsx'
import type { FiltersShape, ValueShape } from './shape.ts'
import { Value } from './value.tsx'

interface Props {
  readonly shape: FiltersShape
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly faults: Faults
}

/** Conditions of field, operator and operand, which are ANDed. */
export function FiltersForm({ shape, value, onChange, faults }: Props) {
  const [conditions, setConditions] = useDraft<unknown, readonly Condition[]>(value, conditionsIn, filtersOf, onChange)
  const message = faultText(
    faults,
    conditions.map(({ field }) => field),
  )
  return (
    <div className="form-list">
      {conditions.map((condition, i) => (
        <ConditionLine
          key={i}
          shape={shape}
          condition={condition}
          onChange={(next) => setConditions(conditions.with(i, next))}
          onRemove={() => setConditions(conditions.toSpliced(i, 1))}
          faults={condition.field === '' ? [] : faultsUnder(faults, condition.field)}
        />
      ))}
      {message && (
        <p className="field-fault" role="alert">
          {message}
        </p>
      )}
      <Button small icon="plus" onClick={() => setConditions([...conditions, { field: shape.fields[0]?.name ?? '', operator: 'is', value: undefined }])}>
        Add filter
      </Button>
    </div>
  )
}

interface LineProps {
  readonly shape: FiltersShape
  readonly condition: Condition
  readonly onChange: (condition: Condition) => void
  readonly onRemove: () => void
  readonly faults: Faults
}

function ConditionLine({ shape, condition, onChange, onRemove, faults }: LineProps) {
  const id = useId()
  const { field, operator, value } = condition
  const known = shape.fields.find(({ name }) => name === field)
  const family: Family = known?.family ?? 'text'
  const operators = operatorsOf(family)
  const nullable = takesNull(operator)
  const item: ValueShape = { kind: 'value', type: family, nullable, ...(known?.suggested && { suggested: known.suggested }) }
  const fault = faultText(faults)
  const control = { id, 'aria-label': `${field}: value`, 'aria-describedby': fault ? `${id}-fault` : undefined, 'aria-invalid': fault !== undefined }
  return (
    <div className={`field form-condition${fault ? ' field-wrong' : ''}`}>
      {shape.open ? (
        <>
          <input
            className="input"
            aria-label="Field"
            value={field}
            list={`${id}-fields`}
            onChange={(event) => onChange({ ...condition, field: event.target.value })}
          />
          <datalist id={`${id}-fields`}>
            {shape.fields.map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      ) : (
        <select aria-label="Field" value={field} onChange={(event) => onChange({ field: event.target.value, operator: 'is', value: undefined })}>
          {!known && <option>{field}</option>}
          {shape.fields.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      <select
        aria-label={`${field}: operator`}
        value={operator}
        onChange={(event) => {
          const next = event.target.value
          const changes = (operator === 'in') !== (next === 'in') || (value === null && !takesNull(next))
          onChange({ field, operator: next, value: changes ? undefined : value })
        }}
      >
        {!operators.includes(operator) && <option value={operator}>{operator}</option>}
        {operators.map((one) => (
          <option key={one} value={one}>
            {OPERATOR_WORDS[one] ?? one}
          </option>
        ))}
      </select>
      <div className="form-operand">
        {operator === 'in' ? (
          <ListForm
            name={field}
            shape={{ kind: 'list', item: { ...item, nullable: true } }}
            value={value}
            onChange={(next) => onChange({ ...condition, value: next })}
            faults={[]}
          />
        ) : known ? (
          <Value name={field} shape={item} control={control} value={value} onChange={(next) => onChange({ ...condition, value: next })} />
        ) : (
          <AnyValue control={control} label={field} value={value} onChange={(next) => onChange({ ...condition, value: next })} />
        )}
      </div>
      <IconButton icon="close" small label={`Remove the filter on ${field}`} onClick={onRemove} />
      {fault && (
        <p className="field-fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}
