import type { ComponentType } from 'react'
import { useAnswer } from '../data/answer.ts'
import type { PageProps } from '../parts/page.tsx'
import { Empty, Skeleton } from '../parts/states.tsx'
import { Person, Time } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import { Breadcrumb } from './breadcrumb.tsx'
import { History, UndoButton } from './history.tsx'
import type { RecordSchema } from './record-schema.ts'

interface Props {
  readonly schema: RecordSchema
  readonly id: string
  readonly frame: ComponentType<PageProps>
  readonly onRestored: () => void
}

/** Shown for a record that does not exist. The journal tells whether it was deleted. */
export function MissingRecord({ schema, id, frame: Frame, onRestored }: Props) {
  const { crm, may } = useSession()
  const { answer, loading } = useAnswer(
    async (signal) =>
      may('get_many_changes')
        ? (await crm.changes.getMany({ Filters: { RecordID: id, RecordType: schema.recordType, Outcome: 'ok' }, Limit: 1 }, { signal })).Records
        : [],
    [crm, may, id, schema.recordType],
  )
  const last = answer?.[0]
  const deleted = last?.EventType?.endsWith('.deleted') ? last : undefined
  const above = <Breadcrumb schema={schema} id={id} name={`…${id.slice(-6)}`} />
  if (loading && !answer)
    return (
      <Frame title="…" above={above}>
        <Skeleton height="14rem" />
      </Frame>
    )
  return (
    <Frame title={`No such ${schema.one}`} above={above}>
      {deleted ? (
        <Empty icon="delete" title={`This ${schema.one} was deleted`} act={<UndoButton change={deleted} onUndone={onRestored} />}>
          <Person id={deleted.UserID} /> deleted it <Time at={deleted.At} />. Undo restores it.
        </Empty>
      ) : (
        <Empty icon="search" title={`There is no such ${schema.one}`} act={<Link to={schema.path}>Show all {schema.many}</Link>}>
          It may have been erased, belong to another user, or never have existed.
        </Empty>
      )}
      {last && <History schema={schema} id={id} version={0} onUndone={onRestored} />}
    </Frame>
  )
}
