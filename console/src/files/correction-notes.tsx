import type { ImportPlan } from 'crm-connector/files'
import { Button } from '../parts/button.tsx'
import { numberText } from '../parts/values.tsx'
import type { Corrections } from './corrections.ts'

interface Props {
  readonly corrections: Corrections
  /** Rows of a table below, which were corrected since they were checked: they are not told, so that the table stays where it is. */
  readonly waiting?: number
  readonly plan: ImportPlan
  /** Checks the file once more, with a value as it is in the file. Without it, values are only told. */
  readonly onRestore?: (field: string, value: string) => void
}

/** What differs from the file, since a person has corrected it. */
export function CorrectionNotes({ corrections: { rows, values }, waiting = 0, plan, onRestore }: Props) {
  const kept = rows.size - waiting
  if (kept === 0 && values.size === 0) return null
  const labelOf = (field: string) => plan.target.fields.find(({ name }) => name === field)?.label ?? field
  return (
    <div className="files-corrections">
      {kept > 0 && (
        <p className="files-note">
          {`What you corrected in ${kept === 1 ? 'a row' : `${numberText(kept)} rows`} is kept. To begin anew, choose the file again.`}
        </p>
      )}
      {[...values].flatMap(([field, instead]) =>
        [...instead].map(([value, other]) => (
          <p key={`${field} ${value}`} className="files-note files-same">
            {`${value} in ${labelOf(field)} is changed to ${other}.`}
            {onRestore && (
              <Button small aria-label={`Restore ${value}`} onClick={() => onRestore(field, value)}>
                Restore
              </Button>
            )}
          </p>
        )),
      )}
    </div>
  )
}
