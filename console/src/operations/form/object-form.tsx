import { useState } from 'react'
import { Button, IconButton } from '../../parts/button.tsx'
import { beneath, type Faults, faultText } from './faults.ts'
import { isJson, withMember } from './json.ts'
import { Member } from './member.tsx'
import type { ObjectShape } from './shape.ts'

interface Props {
  readonly shape: ObjectShape
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly faults: Faults
  /** Stays an object when it is empty, as the input itself does. */
  readonly isWhole?: boolean
}

/** The members of an object, one below the other; then those with names of the user's own. */
export function ObjectForm({ shape, value, onChange, faults, isWhole = false }: Props) {
  const object = isJson(value) ? value : {}
  const known = shape.members.map(({ name }) => name)
  const others = Object.keys(object).filter((name) => !known.includes(name))
  const set = (name: string, next: unknown) => {
    const changed = withMember(object, name, next)
    onChange(!isWhole && Object.keys(changed).length === 0 ? undefined : changed)
  }
  const said = faultText(faults, [...known, ...others])
  return (
    <div className="form-members">
      {shape.members.map((member) => (
        <Member
          key={member.name}
          member={member}
          value={Object.hasOwn(object, member.name) ? object[member.name] : undefined}
          onChange={(next) => set(member.name, next)}
          faults={beneath(faults, member.name)}
        />
      ))}
      {others.map((name) => (
        <div key={name} className="form-own">
          <Member
            member={{ name, required: false, about: shape.open ? '' : 'No part of this operation.', shape: shape.open ?? { kind: 'any' } }}
            value={object[name]}
            onChange={(next) => set(name, next === undefined && shape.open?.kind !== 'object' ? '' : (next ?? {}))}
            faults={beneath(faults, name)}
          />
          <IconButton icon="close" small label={`Remove ${name}`} onClick={() => set(name, undefined)} />
        </div>
      ))}
      {said && (
        <p className="field-fault" role="alert">
          {said}
        </p>
      )}
      {shape.open && (
        <NewName taken={[...known, ...others]} offered={shape.offered ?? []} onAdd={(name) => set(name, shape.open?.kind === 'object' ? {} : '')} />
      )}
    </div>
  )
}

interface NewNameProps {
  readonly taken: readonly string[]
  readonly offered: readonly string[]
  readonly onAdd: (name: string) => void
}

function NewName({ taken, offered, onAdd }: NewNameProps) {
  const [name, setName] = useState('')
  const typed = name.trim()
  const isTaken = taken.includes(typed)
  const add = () => {
    if (typed === '' || isTaken) return
    onAdd(typed)
    setName('')
  }
  return (
    <div className="form-new">
      <input
        className="input"
        list="operation-field-names"
        aria-label="Name of a field to add"
        placeholder="Name of a field"
        value={name}
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          add()
        }}
      />
      <datalist id="operation-field-names">
        {offered
          .filter((one) => !taken.includes(one))
          .map((one) => (
            <option key={one} value={one} />
          ))}
      </datalist>
      <Button icon="plus" disabled={typed === '' || isTaken} onClick={add}>
        Add field
      </Button>
      {isTaken && <p className="field-fault">{typed} is there already.</p>}
    </div>
  )
}
