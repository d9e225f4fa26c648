import { Button } from '../parts/button.tsx'
import { Difference } from '../parts/difference.tsx'
import { labelsOf, type RecordSchema, type Row } from './record-schema.ts'
import './conflict.css'

interface Props {
  readonly schema: RecordSchema
  /** The record when editing began, and as it is now. */
  readonly base: Row
  readonly current: Row
  /** The values that were about to be saved, by field. */
  readonly mine: Row
  readonly onDiscard: () => void
  readonly onOverwrite: () => void
}

/** Shown when a record was changed by someone else during an edit: the user sees what it was, what it is, and what was typed, and decides. */
export function Conflict({ schema, base, current, mine, onDiscard, onOverwrite }: Props) {
  // A card or a table has some of the fields; the others cannot be compared.
  const compared = schema.editableFields.filter(({ Name }) => Name in base)
  const editable = (row: Row) => Object.fromEntries(compared.map(({ Name }) => [Name, row[Name]]))
  return (
    <section className="conflict" role="alert">
      <h3>Someone else has changed this {schema.one} since you opened it</h3>
      <Difference before={editable(base)} after={editable(current)} mine={mine} recordType={schema.recordType} labels={labelsOf(schema)} />
      <div className="conflict-acts">
        <Button small onClick={onDiscard}>
          Discard mine
        </Button>
        <Button small kind="danger" onClick={onOverwrite}>
          Overwrite with mine
        </Button>
      </div>
    </section>
  )
}
