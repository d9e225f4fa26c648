import { useEffect, useMemo, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { useLive } from '../data/live.tsx'
import { usePages } from '../data/pages.ts'
import { Button } from '../parts/button.tsx'
import { Listing } from '../parts/listing.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Empty, Refusal, Skeleton } from '../parts/states.tsx'
import { weekdayText } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { go, useRoute } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { BatchLine } from './batch-line.tsx'
import { ChangeFilters, type ChangeQuery, filtersOf, queryIn } from './change-filters.tsx'
import { ChangeLine } from './change-line.tsx'
import type { Change } from './change-text.ts'
import { groupedLines } from './grouped-lines.ts'
import { useUndone } from './use-undone.ts'
import './changes.css'

const PAGE = 50

export function Changes({ path }: { readonly path: readonly string[] }) {
  return path[0] === undefined ? <AllChanges /> : <OneChange id={path[0]} />
}

function AllChanges() {
  const { crm } = useSession()
  const { query: address } = useRoute()
  const queryText = address.toString()
  const query = useMemo(() => queryIn(new URLSearchParams(queryText)), [queryText])
  // The history of a record has its own changes only, also those of a batch.
  const grouped = query.record === undefined
  const keyOf = ({ ChangeID, BatchID }: { readonly ChangeID: string; readonly BatchID: string | null }) => (grouped && BatchID) || ChangeID
  const pages = usePages(
    (Cursor, signal) =>
      grouped ? groupedLines(crm, filtersOf(query), Cursor, signal) : crm.changes.getMany({ Filters: filtersOf(query), Limit: PAGE, Cursor }, { signal }),
    [crm, queryText],
  )
  const { rows, loading, reload } = pages
  const isUndone = useUndone(rows)
  const [newKeys, setNewKeys] = useState<ReadonlySet<string>>(new Set())
  const live = useLive((event) => matches(query, event) && setNewKeys((all) => new Set([...all, keyOf(event)])))
  const shownKeys = new Set(rows.map(keyOf))
  const newCount = [...newKeys].filter((key) => !shownKeys.has(key)).length
  const refresh = () => {
    setNewKeys(new Set())
    reload()
  }
  useEffect(() => setNewKeys(new Set()), [queryText])
  const filtered = Object.keys(query).length > 0

  return (
    <Page title="Changes" about="Who changed what, when and how. Admins also see what was refused." acts={live && <LiveMark />}>
      <ChangeFilters query={query}>
        <span className="changes-new" role="status">
          {newCount > 0 && (
            <Button small icon="reload" onClick={refresh}>
              {newCount === 1 ? '1 new change' : `${newCount} new changes`}
            </Button>
          )}
        </span>
      </ChangeFilters>
      <Listing
        pages={pages}
        empty={
          <Empty
            icon="changes"
            title={filtered ? 'No changes match' : 'No changes yet'}
            act={filtered && <Button onClick={() => go(['changes'])}>Show all changes</Button>}
          >
            {filtered ? 'Remove a filter to see more.' : 'Changes appear here at once.'}
          </Empty>
        }
      >
        <div className={loading ? 'changes-loading' : undefined}>
          {byDay(rows).map(({ day, changes }) => (
            <section key={day} className="changes-day">
              <h2>{day}</h2>
              <ol>
                {changes.map((change) =>
                  grouped && change.BatchID !== null ? (
                    <BatchLine key={change.BatchID} change={change} batchId={change.BatchID} whole={query.batch !== undefined} onUndone={reload} />
                  ) : (
                    <ChangeLine key={change.ChangeID} change={change} undone={isUndone(change)} onUndone={reload} />
                  ),
                )}
              </ol>
            </section>
          ))}
        </div>
      </Listing>
    </Page>
  )
}

/** Whether the filters may match the change behind an event. Refusals emit no event. */
function matches(
  { type, user, record, batch, outcome, to }: ChangeQuery,
  event: { readonly RecordType: string; readonly UserID: string; readonly RecordID: string },
) {
  if (to || batch || outcome === 'refused') return false
  return (!type || type === event.RecordType) && (!user || user === event.UserID) && (!record || record === event.RecordID)
}

function byDay(rows: readonly Change[]): { readonly day: string; readonly changes: Change[] }[] {
  const days: { readonly day: string; readonly changes: Change[] }[] = []
  for (const change of rows) {
    const day = weekdayText(new Date(change.At))
    if (days.at(-1)?.day !== day) days.push({ day, changes: [] })
    days.at(-1)?.changes.push(change)
  }
  return days
}

const NONE: readonly Change[] = []

function OneChange({ id }: { readonly id: string }) {
  const { crm } = useSession()
  const { answer, error, reload } = useAnswer((signal) => crm.changes.getMany({ Filters: { ChangeID: id } }, { signal }), [crm, id])
  const change = answer?.Records[0]
  const isUndone = useUndone(answer?.Records ?? NONE)
  return (
    <Page title="Change" about={change && <Link to={['changes']}>All changes</Link>}>
      {error ? (
        <Refusal error={error} reload={reload} />
      ) : change ? (
        <Card>
          <ol className="changes-one">
            <ChangeLine change={change} undone={isUndone(change)} whole onUndone={reload} />
          </ol>
        </Card>
      ) : answer ? (
        <Empty icon="changes" title="Change not found" act={<Link to={['changes']}>All changes</Link>}>
          It may be older than the retention period, or belong to a record you may not see.
        </Empty>
      ) : (
        <Skeleton height="16rem" />
      )}
    </Page>
  )
}

/** Shows whether the page updates by itself. */
export function LiveMark({ paused = false }: { readonly paused?: boolean }) {
  return <span className={`live-mark${paused ? ' live-mark-paused' : ''}`}>{paused ? 'Paused' : 'Live'}</span>
}
