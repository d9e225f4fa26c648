import { Button } from '../parts/button.tsx'
import { Difference } from '../parts/difference.tsx'
import { labelsOf, type RecordSchema, type Row } from './record-schema.ts'
import './conflict.css'

interface Props {
  readonly schema: RecordSchema
  /** The record as it was when editing began, and as somebody has left it since. */
  readonly base: Row
  readonly current: Row
  readonly onDiscard: () => void
  readonly onOverwrite: () => void
}

/** Two people have changed a record at once; the one who is second decides, knowing what the first has done. */
export function Conflict({ schema, base, current, onDiscard, onOverwrite }: Props) {
  const editable = (row: Row) => Object.fromEntries(schema.editableFields.map(({ Name }) => [Name, row[Name]]))
  return (
    <section className="conflict" role="alert">
      <h3>Somebody has changed this {schema.one} since you opened it</h3>
      <Difference before={editable(base)} after={editable(current)} labels={labelsOf(schema)} />
      <div className="conflict-acts">
        <Button small onClick={onDiscard}>
          Take theirs
        </Button>
        <Button small kind="danger" onClick={onOverwrite}>
          Save mine over it
        </Button>
      </div>
    </section>
  )
}
