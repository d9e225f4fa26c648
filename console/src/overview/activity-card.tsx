import { recordType } from 'crm-connector/contract'
import { useEffect, useState } from 'react'
import { calledOf, kindOf, pathOf, RECORD_PAGES } from '../journal/told.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Card } from '../parts/page.tsx'
import { RefusalLine, Skeleton } from '../parts/states.tsx'
import { Person, Time } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { PAGES } from '../routing/pages.ts'
import { useSession } from '../session/session.ts'
import { type Happened, useActivity } from './activity.ts'
import { useRecordNames } from './record-names.ts'
import './activity-card.css'

const TICK_MS = 30_000

/** What happens, as it happens. */
export function ActivityCard({ narrowed }: { readonly narrowed: boolean }) {
  const { answer, error, again, live } = useActivity()
  const names = useRecordNames((answer ?? []).filter(isNameless))
  const [, tick] = useState(0)
  // What was said to be a minute ago is not for long.
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
          {live ? 'Live' : 'Not live'}
        </span>
      }
    >
      <div className="overview-list overview-activity">
        {error && !answer ? (
          <div className="chart-fault">
            <RefusalLine error={error} />
            <Button small icon="again" onClick={again}>
              Try again
            </Button>
          </div>
        ) : !answer ? (
          <Skeleton height="100%" />
        ) : answer.length === 0 ? (
          <p className="chart-nothing soft">Nothing has changed yet. Whatever does appears here at once.</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          <section className="overview-scroll" aria-label="Recent changes" tabIndex={0}>
            <ul>
              {answer.map((happened) => (
                <Line key={happened.id} happened={happened} name={isNameless(happened) ? names.get(happened.recordId) : undefined} />
              ))}
            </ul>
          </section>
        )}
      </div>
      <p className="chart-note soft">{narrowed ? 'Of all records, whatever the filters above say' : ' '}</p>
    </Card>
  )
}

function Line({ happened, name }: { readonly happened: Happened; readonly name: string | undefined }) {
  const { may } = useSession()
  const { type, at, recordType: of, recordId, userId, image, isBack, fresh } = happened
  const page = RECORD_PAGES[of] ?? recordType(of).plural
  const entry = PAGES.find(({ path }) => path === page)
  const happening = type.split('.')[1] ?? type
  const gone = happening === 'deleted' || happening === 'erased'
  const kind = kindOf(of, image)
  return (
    <li className={`activity-row${fresh ? ' activity-fresh' : ''}`}>
      <Icon name={entry?.icon ?? 'changes'} size={16} />
      <div>
        {entry?.needs.some(may) && !gone ? (
          <Link to={pathOf(of, recordId, image) ?? [page]} className="overview-name">
            {name ?? calledOf(of, recordId, image)}
          </Link>
        ) : (
          <span className="overview-name">{name ?? calledOf(of, recordId, image)}</span>
        )}
        <small className="soft">
          {kind.charAt(0).toUpperCase() + kind.slice(1)} {isBack ? 'brought back' : happening.replaceAll('_', ' ')} by <Person id={userId} /> · <Time at={at} />
        </small>
      </div>
    </li>
  )
}

/** Where the change shows what was hung on the record, and so does not say what the record is called. */
const isNameless = ({ recordType, recordId, image }: Happened) =>
  recordType in RECORD_PAGES && calledOf(recordType, recordId, image) === calledOf(recordType, recordId, null)
