import { CrmError } from 'crm-connector'
import { recordType } from 'crm-connector/contract'
import { useState } from 'react'
import { useWrite } from '../data/write.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { numberText } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import { type Deletion, deleteInput, deleteRow } from './calls.ts'
import { doneText } from './create-dialog.tsx'
import { nameOf, type RecordSchema, type Row } from './record-schema.ts'

/** ` 3 contacts and 1 opportunity no longer refer to it.` */
function emptiedText({ Emptied = {} }: Deletion): string {
  const counts = Object.entries(Emptied)
  if (counts.length === 0) return ''
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  const texts = counts.map(([type, count]) => `${numberText(count)} ${count === 1 ? type.toLowerCase() : recordType(type).plural}`)
  return ` ${LISTS.format(texts)} no longer ${total === 1 ? 'refers' : 'refer'} to it.`
}

const LISTS = new Intl.ListFormat('en', { type: 'conjunction' })

interface Props {
  readonly schema: RecordSchema
  readonly row: Row
  readonly onClose: () => void
  readonly onDone: () => void
  readonly onUndone: () => void
}

/** Asks before a delete. If the key requires approval, it says that the deletion waits. */
export function DeleteDialog({ schema, row, onClose, onDone, onUndone }: Props) {
  const { crm, may } = useSession()
  const write = useWrite()
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const waiting = error instanceof CrmError && error.plan !== undefined
  const remove = async () => {
    setBusy(true)
    try {
      await write(
        (answer: Deletion) => `${doneText(schema, row, 'deleted')}${emptiedText(answer)}`,
        (options) => deleteRow(crm, schema, row, options),
        onUndone,
        { input: deleteInput(schema, row) },
      )
      onDone()
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }
  if (waiting)
    return (
      <Dialog title="Waiting for approval" onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
        <p>Deletions with this key wait for approval. {nameOf(schema, row)} is not deleted until then.</p>
        {may('get_many_plans') && (
          <p>
            <Link to={['plans']}>Open the deletions that wait</Link>
          </p>
        )}
      </Dialog>
    )
  return (
    <Dialog
      title={`Delete ${nameOf(schema, row)}?`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" icon="delete" busy={busy} onClick={() => void remove()}>
            Delete
          </Button>
        </>
      }
    >
      <p>{schema.operation('delete')?.summary}</p>
      {error !== undefined && <RefusalLine error={error} />}
    </Dialog>
  )
}
