import type { ReactNode } from 'react'
import { useAnswer } from '../data/answer.ts'
import { Page } from '../parts/page.tsx'
import { Empty, Skeleton } from '../parts/states.tsx'
import { Person, Time } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { History, UndoButton } from './history.tsx'
import type { Kind } from './kind.ts'

interface Props {
  readonly kind: Kind
  readonly id: string
  readonly back: ReactNode
  /** It is there again. */
  readonly onBack: () => void
}

/** There is no such record any more, or there never was one; the changes know. */
export function Gone({ kind, id, back, onBack }: Props) {
  const { crm, may } = useSession()
  const { answer, asking } = useAnswer(
    async (signal) =>
      may('get_many_changes')
        ? (await crm.changes.getMany({ Filters: { RecordID: id, RecordType: kind.recordType, Outcome: 'ok' }, Limit: 1 }, { signal })).Records
        : [],
    [crm, may, id, kind.recordType],
  )
  const last = answer?.[0]
  const deleted = last?.EventType?.endsWith('.deleted') ? last : undefined
  if (asking && !answer)
    return (
      <Page title="…" about={back}>
        <Skeleton height="14rem" />
      </Page>
    )
  return (
    <Page title={`No such ${kind.one}`} about={back}>
      {deleted ? (
        <Empty icon="delete" title={`This ${kind.one} was deleted`} act={<UndoButton change={deleted} onUndone={onBack} />}>
          <Person id={deleted.UserID} /> deleted it <Time at={deleted.At} />. Undoing that brings it back as it was.
        </Empty>
      ) : (
        <Empty icon="search" title={`There is no such ${kind.one}`}>
          It may have been erased, belong to somebody else, or never have been there.
        </Empty>
      )}
      {last && <History kind={kind} id={id} turn={0} onUndone={onBack} />}
    </Page>
  )
}
