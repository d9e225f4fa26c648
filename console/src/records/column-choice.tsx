import { Popover } from '../grid/popover.tsx'
import { Button, IconButton } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import type { DescribedField } from '../session/session.ts'

interface Props {
  readonly fields: readonly DescribedField[]
  readonly columns: readonly string[]
  readonly onChange: (columns: readonly string[] | undefined) => void
}

export function ColumnChoice({ fields, columns, onChange }: Props) {
  const shown = columns.flatMap((name) => fields.filter(({ Name }) => Name === name))
  const rest = fields.filter(({ Name }) => !columns.includes(Name))
  const move = (name: string, by: number) => {
    const from = columns.indexOf(name)
    const next = columns.filter((one) => one !== name)
    next.splice(from + by, 0, name)
    onChange(next)
  }
  return (
    <Popover label="Columns" icon="columns" align="right">
      {() => (
        <>
          <ul className="popover-list">
            {shown.map(({ Name, Label }, nth) => (
              <li key={Name}>
                <Checkbox label={Label} checked disabled={columns.length === 1} onChange={() => onChange(columns.filter((one) => one !== Name))} />
                <IconButton icon="up" label={`Move ${Label} up`} small disabled={nth === 0} onClick={() => move(Name, -1)} />
                <IconButton icon="down" label={`Move ${Label} down`} small disabled={nth === shown.length - 1} onClick={() => move(Name, 1)} />
              </li>
            ))}
            {rest.map(({ Name, Label }) => (
              <li key={Name}>
                <Checkbox label={Label} checked={false} onChange={() => onChange([...columns, Name])} />
              </li>
            ))}
          </ul>
          <div className="popover-acts">
            <Button small onClick={() => onChange(undefined)}>
              Reset
            </Button>
          </div>
        </>
      )}
    </Popover>
  )
}
