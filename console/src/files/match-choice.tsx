import { matchChoices } from 'crm-connector/files'
import { Checkbox } from '../parts/checkbox.tsx'
import { type ChosenFile, planned, withMatching } from './choices.ts'

interface Props {
  readonly chosen: ChosenFile
  readonly onChange: (chosen: ChosenFile) => void
}

/** Whether rows update the records that match them, and by which fields they match. */
export function MatchChoice({ chosen, onChange }: Props) {
  const { matchBy, plan } = chosen
  const fields = matchChoices(plan)
  if (fields.length === 0 && !matchBy) return null
  return (
    <fieldset className="files-match">
      <legend>Records that exist</legend>
      <Checkbox
        label="Update the records that match"
        hint="Rows that match no record create one."
        checked={matchBy !== undefined}
        onChange={(matches) => onChange(withMatching(chosen, matches))}
      />
      {matchBy && (
        <fieldset className="files-match-fields">
          <legend>Match by</legend>
          {fields.map(({ name, label }) => (
            <Checkbox
              key={name}
              label={label}
              checked={matchBy.includes(name)}
              onChange={(on) => onChange(planned({ ...chosen, matchBy: on ? [...matchBy, name] : matchBy.filter((one) => one !== name) }))}
            />
          ))}
        </fieldset>
      )}
    </fieldset>
  )
}
