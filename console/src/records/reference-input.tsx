import { useState } from 'react'
import { createPortal } from 'react-dom'
import { useAnswer } from '../data/answer.ts'
import type { ValueInput } from '../forms/value-input.tsx'
import { IconButton } from '../parts/button.tsx'
import { Words } from '../parts/words.tsx'
import { useSession } from '../session/session.ts'
import { readRow } from './calls.ts'
import { PickDialog } from './pick-dialog.tsx'
import { nameOf, type Reference, useRecordSchema } from './record-schema.ts'
import './reference.css'

type Props = Parameters<typeof ValueInput>[0] & { readonly reference: Pick<Reference, 'recordType'> }

/** Shows the record that is referred to by its name, and picks another. */
export function ReferenceInput({ control, kind, value, onChange, reference }: Props) {
  const { crm } = useSession()
  const schema = useRecordSchema(reference.recordType)
  const [picking, setPicking] = useState(false)
  const [picked, setPicked] = useState<{ readonly id: string; readonly name: string }>()
  const id = typeof value === 'string' ? value : ''
  const known = picked?.id === id ? picked.name : undefined
  const { answer } = useAnswer(
    async (signal) => {
      if (id === '' || known !== undefined || !schema) return undefined
      const row = await readRow(crm, schema, id, { signal })
      return row && { id, name: nameOf(schema, row) }
    },
    [crm, schema, id],
  )
  const text = id === '' ? 'Choose …' : (known ?? (answer?.id === id ? answer.name : `…${id.slice(-6)}`))
  const { required, ...attributes } = control
  return (
    <span className="reference-input">
      <button type="button" {...attributes} className={id === '' ? 'soft' : ''} onClick={() => setPicking(true)}>
        <Words>{text}</Words>
      </button>
      {id !== '' && !kind.Required && <IconButton icon="close" label={`Remove ${text}`} small onClick={() => onChange(undefined)} />}
      {picking &&
        schema &&
        // Outside of the form, which Enter in the search box would send.
        createPortal(
          <PickDialog
            schema={schema}
            title={`Choose a ${schema.one}`}
            without={[]}
            onClose={() => setPicking(false)}
            onPick={async (row) => {
              const chosen = String(row[schema.id])
              setPicked({ id: chosen, name: nameOf(schema, row) })
              setPicking(false)
              onChange(chosen)
            }}
          />,
          document.body,
        )}
    </span>
  )
}
