import { IconButton } from '../parts/button.tsx'
import { useKeys } from '../parts/use-keys.ts'
import { Words } from '../parts/words.tsx'
import { Link } from '../routing/link.tsx'
import { go } from '../routing/router.ts'
import { neighboursOf } from './neighbours.ts'
import type { RecordSchema } from './record-schema.ts'

interface Props {
  readonly schema: RecordSchema
  readonly id: string
  readonly name: string
}

/** The way back to the table, and to the records before and after this one in it. */
export function Breadcrumb({ schema, id, name }: Props) {
  const { previous, next } = neighboursOf(schema, id)
  const to = (other: string | undefined) => other !== undefined && go([...schema.path, other])
  useKeys({ j: () => to(next), k: () => to(previous) })
  return (
    <div className="record-way">
      <nav aria-label="Breadcrumb">
        <ol>
          <li>
            <Link to={schema.path}>{schema.title}</Link>
          </li>
          <li aria-current="page">
            <Words>{name}</Words>
          </li>
        </ol>
      </nav>
      {(previous ?? next) !== undefined && (
        <span className="record-steps">
          <IconButton icon="up" label={`Previous ${schema.one}`} small disabled={previous === undefined} onClick={() => to(previous)} />
          <IconButton icon="down" label={`Next ${schema.one}`} small disabled={next === undefined} onClick={() => to(next)} />
        </span>
      )}
    </div>
  )
}
