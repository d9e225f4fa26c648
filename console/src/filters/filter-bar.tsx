import { usePeople } from '../data/people.tsx'
import { textOf } from '../grid/cell.tsx'
import { Popover } from '../grid/popover.tsx'
import { Button, IconButton } from '../parts/button.tsx'
import type { DescribedField } from '../session/session.ts'
import { type Condition, choiceOf, sentenceOf, wordsOf } from './conditions.ts'
import { FilterEditor } from './filter-editor.tsx'
import './filter-bar.css'

interface Props {
  readonly fields: readonly DescribedField[]
  readonly conditions: readonly Condition[]
  /** The conditions that the search box shows. */
  readonly hidden: (condition: Condition) => boolean
  readonly onChange: (conditions: readonly Condition[]) => void
}

const same = (a: Condition, b: Condition) => a.field === b.field && a.operator === b.operator

/** The conditions of a view, to edit and remove. */
export function FilterChips({ fields, conditions, hidden, onChange }: Props) {
  const { nameOf } = usePeople()
  const filterable = fields.filter(({ Operators }) => Operators.length > 0)
  const shown = conditions.filter((one) => !hidden(one))
  if (shown.length === 0) return null
  const textOfOne = (condition: Condition) => {
    const field = fields.find(({ Name }) => Name === condition.field)
    const choice = choiceOf(condition)
    const value = choice === 'none' || choice === 'some' ? '' : textOf(field, condition.value, nameOf)
    return `${field?.Label ?? condition.field} ${wordsOf(choice, field?.Type)} ${value}`.trim()
  }
  return (
    <ul className="filter-chips" aria-label="Filters">
      {shown.map((condition) => {
        const text = sentenceOf(condition, textOfOne)
        const remove = () => onChange(conditions.filter((one) => one !== condition))
        return (
          <li key={`${condition.field} ${condition.operator}`} className="filter-chip">
            <Popover label={`Edit the filter: ${text}`} chip content={text}>
              {(close) => (
                <FilterEditor
                  fields={filterable}
                  condition={condition}
                  onRemove={remove}
                  onApply={(next) => {
                    close()
                    onChange([...conditions.filter((one) => one !== condition && !same(one, next)), next])
                  }}
                />
              )}
            </Popover>
            <IconButton icon="close" label={`Remove the filter: ${text}`} small onClick={remove} />
          </li>
        )
      })}
      {shown.length > 1 && (
        <li>
          <Button kind="quiet" small onClick={() => onChange(conditions.filter(hidden))}>
            Clear all
          </Button>
        </li>
      )}
    </ul>
  )
}

export function AddFilter({ fields, conditions, onChange }: Omit<Props, 'hidden'>) {
  return (
    <Popover label="Filter" icon="filter">
      {(close) => (
        <FilterEditor
          fields={fields.filter(({ Operators }) => Operators.length > 0)}
          condition={undefined}
          onApply={(next) => {
            close()
            onChange([...conditions.filter((one) => !same(one, next)), next])
          }}
        />
      )}
    </Popover>
  )
}
