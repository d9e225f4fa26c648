import { recordType } from 'crm-connector/contract'
import { useEffect, useState } from 'react'
import { pathOf, RECORD_PAGES, recordName, typeName } from '../journal/change-text.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Card } from '../parts/page.tsx'
import { Nothing, RefusalLine, Skeleton } from '../parts/states.tsx'
import { Person, Time } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { pageAt } from '../routing/pages.ts'
import { useSession } from '../session/session.ts'
import { type Activity, useActivity } from './activity.ts'
import { useRecordNames } from './record-names.ts'
import './activity-card.css'

const TICK_MS = 30_000

export function ActivityCard({ narrowed }: { readonly narrowed: boolean }) {
  const { answer, error, reload, live } = useActivity()
  const names = useRecordNames((answer ?? []).filter(lacksName))
  const [, tick] = useState(0)
  // Relative times go stale.
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <Card
      title="Recent changes"
      acts={
        <span className={`activity-live${live ? ' activity-live-on' : ''}`} role="status">
          <i aria-hidden="true" />
          {live ? 'Live' : 'Offline'}
        </span>
      }
    >
      <div className="overview-list overview-activity">
        {error && !answer ? (
          <div className="chart-fault">
            <RefusalLine error={error} />
            <Button small icon="reload" onClick={reload}>
              Try again
            </Button>
          </div>
        ) : !answer ? (
          <Skeleton height="100%" />
        ) : answer.length === 0 ? (
          <Nothing whole>No changes yet. New ones appear here at once.</Nothing>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          <section className="overview-scroll" aria-label="Recent changes" tabIndex={0}>
            <ul>
              {answer.map((activity) => (
                <Line key={activity.id} activity={activity} name={lacksName(activity) ? names.get(activity.recordId) : undefined} />
              ))}
            </ul>
          </section>
        )}
      </div>
      <p className="chart-note soft">{narrowed ? 'All records: the filters above do not apply' : ' '}</p>
    </Card>
  )
}

function Line({ activity, name }: { readonly activity: Activity; readonly name: string | undefined }) {
  const { may } = useSession()
  const { type, at, recordType: of, recordId, userId, image, isRestored, isNew } = activity
  const page = RECORD_PAGES[of] ?? recordType(of).plural
  const entry = pageAt(page)
  const happening = type.split('.')[1] ?? type
  const isDeleted = happening === 'deleted' || happening === 'erased'
  const kind = typeName(of, image)
  return (
    <li className={`activity-row${isNew ? ' activity-new' : ''}`}>
      <Icon name={entry?.icon ?? 'changes'} size={16} />
      <div>
        {entry?.needs.some(may) && !isDeleted ? (
          <Link to={pathOf(of, recordId, image) ?? [page]} className="overview-name">
            {name ?? recordName(of, recordId, image)}
          </Link>
        ) : (
          <span className="overview-name">{name ?? recordName(of, recordId, image)}</span>
        )}
        <small className="soft">
          {kind.charAt(0).toUpperCase() + kind.slice(1)} {isRestored ? 'restored' : happening.replaceAll('_', ' ')} by <Person id={userId} /> · <Time at={at} />
        </small>
      </div>
    </li>
  )
}

/** The image of a note or membership change does not contain the name of its record. */
const lacksName = ({ recordType, recordId, image }: Activity) =>
  recordType in RECORD_PAGES && recordName(recordType, recordId, image) === recordName(recordType, recordId, null)
