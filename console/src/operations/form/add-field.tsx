import { useState } from 'react'
import { Button } from '../../parts/button.tsx'

interface Props {
  readonly taken: readonly string[]
  readonly offered: readonly string[]
  readonly onAdd: (name: string) => void
}

/** Adds a member with a name of the user's own. */
export function AddField({ taken, offered, onAdd }: Props) {
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
        placeholder="Field name"
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
      {isTaken && <p className="field-fault">{typed} already exists.</p>}
    </div>
  )
}
