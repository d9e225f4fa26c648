import { isObject } from '../../data/is-object.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { Prose } from '../prose.tsx'
import { AddField } from './add-field.tsx'
import { AnyValue } from './any-value.tsx'
import { type Faults, faultsUnder, faultText } from './faults.ts'
import { FiltersForm } from './filters-form.tsx'
import { withMember } from './json.ts'
import { ListForm } from './list-form.tsx'
import type { Member as MemberShape, ObjectShape } from './shape.ts'
import { Value } from './value.tsx'
import './form.css'

interface Props {
  readonly shape: ObjectShape
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly faults: Faults
  /** The input itself, which stays an object when it is empty. */
  readonly isRoot?: boolean
}

/** The members of an object; first those of the schema, then those with names of the user's own. */
export function ObjectForm({ shape, value, onChange, faults, isRoot = false }: Props) {
  const object = isObject(value) ? value : {}
  const known = shape.members.map(({ name }) => name)
  const others = Object.keys(object).filter((name) => !known.includes(name))
  const set = (name: string, next: unknown) => {
    const changed = withMember(object, name, next)
    onChange(!isRoot && Object.keys(changed).length === 0 ? undefined : changed)
  }
  const message = faultText(faults, [...known, ...others])
  return (
    <div className="form-members">
      {shape.members.map((member) => (
        <Member
          key={member.name}
          member={member}
          value={Object.hasOwn(object, member.name) ? object[member.name] : undefined}
          onChange={(next) => set(member.name, next)}
          faults={faultsUnder(faults, member.name)}
        />
      ))}
      {others.map((name) => (
        <div key={name} className="form-own">
          <Member
            member={{ name, required: false, about: shape.open ? '' : 'Not an input of this operation.', shape: shape.open ?? { kind: 'any' } }}
            value={object[name]}
            onChange={(next) => set(name, next === undefined && shape.open?.kind !== 'object' ? '' : (next ?? {}))}
            faults={faultsUnder(faults, name)}
          />
          <IconButton icon="close" small label={`Remove ${name}`} onClick={() => set(name, undefined)} />
        </div>
      ))}
      {message && (
        <p className="field-fault" role="alert">
          {message}
        </p>
      )}
      {shape.open && (
        <AddField taken={[...known, ...others]} offered={shape.offered ?? []} onAdd={(name) => set(name, shape.open?.kind === 'object' ? {} : '')} />
      )}
    </div>
  )
}

interface MemberProps {
  readonly member: MemberShape
  readonly value: unknown
  /** Undefined removes it. */
  readonly onChange: (value: unknown) => void
  readonly faults: Faults
}

function Member({ member, value, onChange, faults }: MemberProps) {
  const { name, required, about, shape } = member
  switch (shape.kind) {
    case 'value':
      if (typeof value === 'object' && value !== null) return <Unsupported name={name} value={value} onChange={onChange} faults={faults} />
      return (
        <Field label={name} hint={about && <Prose text={about} />} required={required} fault={faultText(faults)}>
          {(control) => <Value name={name} shape={shape} control={control} value={value} required={required} onChange={onChange} />}
        </Field>
      )
    case 'any':
      return (
        <Field label={name} hint={about && <Prose text={about} />} required={required} fault={faultText(faults)}>
          {(control) => <AnyValue control={control} label={name} value={value} onChange={onChange} />}
        </Field>
      )
    default:
      return (
        <fieldset className="form-group">
          <legend>
            {name}
            {required && (
              <span className="field-required" title="required">
                {' '}
                *
              </span>
            )}
          </legend>
          {about && (
            <p className="field-hint">
              <Prose text={about} />
            </p>
          )}
          {shape.kind === 'list' && <ListForm name={name} shape={shape} value={value} onChange={onChange} faults={faults} />}
          {shape.kind === 'filters' && <FiltersForm shape={shape} value={value} onChange={onChange} faults={faults} />}
          {shape.kind === 'object' && <ObjectForm shape={shape} value={value} onChange={onChange} faults={faults} />}
        </fieldset>
      )
  }
}

/** A value from the JSON view that no control can show. */
function Unsupported({ name, value, onChange, faults }: { name: string; value: unknown; onChange: (value: unknown) => void; faults: Faults }) {
  return (
    <div className="field">
      <strong className="form-strange">{name}</strong>
      <code>{JSON.stringify(value)}</code>
      {faultText(faults) && <p className="field-fault">{faultText(faults)}</p>}
      <Button small icon="close" onClick={() => onChange(undefined)}>
        Clear {name}
      </Button>
    </div>
  )
}
