import { nearest } from 'crm-connector/contract'
import { type Findings, type NewValues, newValuesText } from 'crm-connector/files'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field } from '../parts/field.tsx'

interface Props {
  readonly found: Findings['newValues']
  readonly allowed: boolean
  readonly onAllow: (allowed: boolean) => void
  /** Checks the file once more, with these values of a field written as others. */
  readonly onReplace: (field: string, instead: ReadonlyMap<string, string>) => void
}

/** Values of a choice that are new, which a person changes or allows: a typing error must not become a status. */
export function NewValuesForm({ found, allowed, onAllow, onReplace }: Props) {
  return (
    <div className="files-new-values" role="alert">
      {found.map((one) => (
        <div key={one.field} className="files-new-values">
          <p className="files-note">{newValuesText(one)}</p>
          {one.known.length > 0 && <Replacing key={one.values.join()} found={one} onReplace={(instead) => onReplace(one.field, instead)} />}
        </div>
      ))}
      <Checkbox
        label={found.length === 1 && found[0]?.values.length === 1 ? 'Import it as a new value' : 'Import them as new values'}
        checked={allowed}
        onChange={onAllow}
      />
    </div>
  )
}

/** Which known value is meant by each new one: the nearest, until a person chooses. */
function Replacing({ found: { values, known }, onReplace }: { readonly found: NewValues; readonly onReplace: (instead: ReadonlyMap<string, string>) => void }) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(() => new Map(values.map((value) => [value, nearest(value, known)[0] ?? ''])))
  const instead = new Map([...chosen].filter(([, other]) => other !== ''))
  return (
    <div className="files-ways">
      {values.map((value) => (
        <Field key={value} label={`Change ${value} to`}>
          {(control) => (
            <select {...control} value={chosen.get(value)} onChange={(event) => setChosen(new Map([...chosen, [value, event.target.value]]))}>
              <option value="">Leave it</option>
              {known.map((other) => (
                <option key={other}>{other}</option>
              ))}
            </select>
          )}
        </Field>
      ))}
      <Button disabled={instead.size === 0} onClick={() => onReplace(instead)}>
        Change and check again
      </Button>
    </div>
  )
}
