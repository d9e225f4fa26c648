import { Field } from '../parts/field.tsx'
import type { Way } from './crms.ts'

interface Props {
  readonly ways: readonly Way[]
  readonly chosen: Way
  readonly onChoose: (way: Way) => void
}

/** The ways to sign in with secrets; of a single one nothing is to be chosen. */
export function WayChoice({ ways, chosen, onChoose }: Props) {
  if (ways.length < 2) return <p className="soft connect-about">{chosen.about}</p>
  return (
    <Field label="Sign-in" hint={chosen.about}>
      {(control) => (
        <select
          {...control}
          value={chosen.id}
          onChange={(event) => {
            const way = ways.find(({ id }) => id === event.target.value)
            if (way) onChoose(way)
          }}
        >
          {ways.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
