import { Popover } from '../grid/popover.tsx'
import { Button, IconButton } from '../parts/button.tsx'
import type { DescribedField } from '../session/session.ts'
import { withCondition } from './by-value.ts'
import type { Condition } from './conditions.ts'
import { FilterEditor } from './filter-editor.tsx'
import { useWords } from './use-words.ts'
import './filter-bar.css'

interface Props {
  readonly fields: readonly DescribedField[]
  readonly conditions: readonly Condition[]
  /** The conditions that the search box shows. */
  readonly hidden: (condition: Condition) => boolean
  readonly onChange: (conditions: readonly Condition[]) => void
}

/** The conditions of a view, to edit and remove. */
export function FilterChips({ fields, conditions, hidden, onChange }: Props) {
  const wordsOf = useWords(fields)
  const filterable = fields.filter(({ Operators }) => Operators.length > 0)
  const shown = conditions.filter((one) => !hidden(one))
  if (shown.length === 0) return null
  return (
    <ul className="filter-chips" aria-label="Filters">
      {shown.map((condition) => {
        const text = wordsOf(condition)
        const remove = () => onChange(conditions.filter((one) => one !== condition))
        return (
          <li key={`${condition.field} ${condition.operator} ${JSON.stringify(condition.value)}`} className="filter-chip">
            <Popover label={`Edit the filter: ${text}`} chip content={text}>
              {(close) => (
                <FilterEditor
                  fields={filterable}
                  condition={condition}
                  onRemove={remove}
                  onApply={(next) => {
                    close()
                    onChange(
                      withCondition(
                        conditions.filter((one) => one !== condition),
                        next,
                      ),
                    )
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
            Reset
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
            onChange(withCondition(conditions, next))
          }}
        />
      )}
    </Popover>
  )
}
