import { Button } from '../parts/button.tsx'
import { Difference } from '../parts/difference.tsx'
import { type Kind, labelsOf, type Row } from './kind.ts'
import './conflict.css'

interface Props {
  readonly kind: Kind
  /** The record as it was when editing began, and as somebody has left it since. */
  readonly base: Row
  readonly theirs: Row
  readonly onTake: () => void
  readonly onKeep: () => void
}

/** Two people have changed a record at once; the one who is second decides, knowing what the first has done. */
export function Conflict({ kind, base, theirs, onTake, onKeep }: Props) {
  const own = (row: Row) => Object.fromEntries(kind.changeable.map(({ Name }) => [Name, row[Name]]))
  return (
    <section className="conflict" role="alert">
      <h3>Somebody has changed this {kind.one} since you opened it</h3>
      <Difference before={own(base)} after={own(theirs)} labels={labelsOf(kind)} />
      <div className="conflict-acts">
        <Button small onClick={onTake}>
          Take theirs
        </Button>
        <Button small kind="danger" onClick={onKeep}>
          Save mine over it
        </Button>
      </div>
    </section>
  )
}
