import { useState } from 'react'
import { faultOf, hasOtherFaults } from '../forms/faults.ts'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field } from '../parts/field.tsx'
import { RefusalLine } from '../parts/states.tsx'
import type { NewView } from './saved-view.ts'

type Described = Pick<NewView, 'Name' | 'Shared'>

interface Props {
  readonly first: Described
  /** The text of the button. */
  readonly save: string
  readonly onSave: (view: Described) => Promise<void>
  readonly onDelete?: () => Promise<void>
}

/** The name of a view, and who sees it. */
export function ViewForm({ first, save, onSave, onDelete }: Props) {
  const [view, setView] = useState(first)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const run = async (act: () => Promise<void>) => {
    setBusy(true)
    setError(undefined)
    try {
      await act()
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) void run(() => onSave(view))
      }}
    >
      <Field label="Name of the view" fault={faultOf(error, 'Name')}>
        {(control) => <input {...control} value={view.Name} maxLength={80} onChange={(event) => setView({ ...view, Name: event.target.value })} />}
      </Field>
      <Checkbox
        label="Share with the team"
        hint="Everyone in the workspace sees it."
        checked={view.Shared}
        onChange={(Shared) => setView({ ...view, Shared })}
      />
      {hasOtherFaults(error, ['Name']) && <RefusalLine error={error} />}
      <div className="popover-acts">
        {onDelete && (
          <Button kind="danger" onClick={() => void run(onDelete)}>
            Delete view
          </Button>
        )}
        <Button kind="primary" type="submit" busy={busy} disabled={view.Name.trim() === ''}>
          {save}
        </Button>
      </div>
    </form>
  )
}
