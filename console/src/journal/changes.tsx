import { useEffect, useMemo, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { useLive } from '../data/live.tsx'
import { usePages } from '../data/pages.ts'
import { Button } from '../parts/button.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Empty, Refusal, Skeleton } from '../parts/states.tsx'
import { Link } from '../routing/link.tsx'
import { useRoute } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { ChangeFilters, type ChangeQuery, filtersOf, queryIn } from './change-filters.tsx'
import { ChangeLine } from './change-line.tsx'
import type { Change } from './change-text.ts'
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
  const { rows, loading, error, more, next, reload } = usePages(
    (Cursor, signal) => crm.changes.getMany({ Filters: filtersOf(query), Limit: PAGE, Cursor }, { signal }),
    [crm, queryText],
  )
  const [newIds, setNewIds] = useState<readonly string[]>([])
  const live = useLive((event) => matches(query, event) && setNewIds((all) => [...all, event.ChangeID]))
  const newCount = newIds.filter((id) => !rows.some(({ ChangeID }) => ChangeID === id)).length
  const refresh = () => {
    setNewIds([])
    reload()
  }
  useEffect(() => setNewIds([]), [queryText])
  const filtered = Object.keys(query).length > 0

  return (
    <Page title="Changes" about="Every write and, for admins, every refusal: who did what, and through which transport." acts={live && <LiveMark />}>
      <ChangeFilters query={query}>
        <span className="changes-new" role="status">
          {newCount > 0 && (
            <Button small icon="reload" onClick={refresh}>
              {newCount === 1 ? '1 new change' : `${newCount} new changes`}
            </Button>
          )}
        </span>
      </ChangeFilters>
      {error && rows.length === 0 ? (
        <Refusal error={error} reload={reload} />
      ) : rows.length === 0 ? (
        loading ? (
          <Skeleton height="24rem" />
        ) : (
          <Empty icon="changes" title={filtered ? 'No changes match' : 'No changes yet'}>
            {filtered ? 'Remove a filter to see more.' : 'Every write appears here at once.'}
          </Empty>
        )
      ) : (
        <div className={loading ? 'changes-loading' : undefined}>
          {byDay(rows).map(({ day, changes }) => (
            <section key={day} className="changes-day">
              <h2>{day}</h2>
              <ol>
                {changes.map((change) => (
                  <ChangeLine key={change.ChangeID} change={change} onUndone={reload} />
                ))}
              </ol>
            </section>
          ))}
          {error && <Refusal error={error} reload={next} />}
          {more && (
            <p className="changes-more">
              <Button busy={loading} onClick={next}>
                Show more
              </Button>
            </p>
          )}
        </div>
      )}
    </Page>
  )
}

/** Whether the filters may match the change behind an event. Refusals emit no event. */
function matches({ type, user, record, outcome, to }: ChangeQuery, event: { readonly RecordType: string; readonly UserID: string; readonly RecordID: string }) {
  if (to || outcome === 'refused') return false
  return (!type || type === event.RecordType) && (!user || user === event.UserID) && (!record || record === event.RecordID)
}

const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })

function byDay(rows: readonly Change[]): { readonly day: string; readonly changes: Change[] }[] {
  const days: { readonly day: string; readonly changes: Change[] }[] = []
  for (const change of rows) {
    const day = DAY.format(new Date(change.At))
    if (days.at(-1)?.day !== day) days.push({ day, changes: [] })
    days.at(-1)?.changes.push(change)
  }
  return days
}

function OneChange({ id }: { readonly id: string }) {
  const { crm } = useSession()
  const { answer, error, reload } = useAnswer((signal) => crm.changes.getMany({ Filters: { ChangeID: id } }, { signal }), [crm, id])
  const change = answer?.Records[0]
  return (
    <Page title="Change" about={<Link to={['changes']}>All changes</Link>}>
      {error ? (
        <Refusal error={error} reload={reload} />
      ) : change ? (
        <Card>
          <ol className="changes-one">
            <ChangeLine change={change} whole onUndone={reload} />
          </ol>
        </Card>
      ) : answer ? (
        <Empty icon="changes" title="Change not found">
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
