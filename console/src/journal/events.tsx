import type { Event } from 'crm-connector'
import { EVENT_TYPES, OPERATIONS } from 'crm-connector/contract'
import { useId, useMemo, useRef, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { useLive } from '../data/live.tsx'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { Field } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Empty, Refusal, Skeleton } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Person, Time } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { go, useRoute } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { LiveMark } from './changes.tsx'
import { latestEvents } from './latest-events.ts'
import { calledOf, kindOf, pathOf } from './told.ts'
import './changes.css'
import './events.css'

/** So many are shown to begin with, and so many at most. */
const FIRST = 100
const MOST = 1000

/** What happens to records, as it happens. */
export function Events() {
  const { crm, may } = useSession()
  const { query } = useRoute()
  const groups = useMemo(() => groupsFor(may), [may])
  const wanted = query.get('type') ?? ''
  const [paused, setPaused] = useState(false)
  const [heard, setHeard] = useState<readonly Event[]>([])
  const held = useRef<Event[]>([])
  const [holding, setHolding] = useState(0)
  const { answer, error, again } = useAnswer((signal) => latestEvents(crm, FIRST, signal), [crm])
  const live = useLive((event) => {
    if (paused) {
      held.current.push(event)
      setHolding(held.current.length)
    } else setHeard((all) => [event, ...all].slice(0, MOST))
  })
  const known = new Set(heard.map(({ EventID }) => EventID))
  const all = [...heard, ...(answer ?? []).filter(({ EventID }) => !known.has(EventID))]
  const shown = all.filter(({ Type }) => wanted === '' || Type === wanted || (wanted.endsWith('.*') && Type.startsWith(wanted.slice(0, -1))))

  function resume() {
    const waited = held.current.reverse()
    held.current = []
    setHeard((before) => [...waited, ...before].slice(0, MOST))
    setHolding(0)
    setPaused(false)
  }

  return (
    <Page
      title="Events"
      about="What happens to the records you may see, newest first, in the form in which automations receive it."
      acts={
        <>
          {live && <LiveMark paused={paused} />}
          <Button icon={paused ? 'play' : 'pause'} disabled={!live} onClick={paused ? resume : () => setPaused(true)}>
            {paused ? `Resume${holding > 0 ? ` (${holding} new)` : ''}` : 'Pause'}
          </Button>
        </>
      }
    >
      <div className="events-filter">
        <Field label="Type">
          {(control) => (
            <select {...control} value={wanted} onChange={(event) => go(['events'], { type: event.target.value || undefined })}>
              <option value="">All events</option>
              {groups.map(({ name, types }) => (
                <optgroup key={name} label={`${name}.*`}>
                  <option value={`${name}.*`}>{name}.*</option>
                  {types.map((type) => (
                    <option key={type}>{type}</option>
                  ))}
                </optgroup>
              ))}
            </select>
          )}
        </Field>
      </div>
      {error ? (
        <Refusal error={error} again={again} />
      ) : !answer ? (
        <Skeleton height="24rem" />
      ) : shown.length === 0 ? (
        <Empty icon="events" title={wanted === '' ? 'Nothing has happened yet' : `No ${wanted} among the latest`}>
          {live ? 'It appears here the moment it happens.' : 'Come back later.'}
        </Empty>
      ) : (
        <ol className="events">
          {shown.map((event) => (
            <EventLine key={event.EventID} event={event} />
          ))}
        </ol>
      )}
      {/* Below what is not there yet, it would be pushed away. */}
      {(answer || error) && <Following />}
    </Page>
  )
}

/** The types of events that the key can hear: those of records that it may read. */
function groupsFor(may: (operation: string) => boolean): readonly { readonly name: string; readonly types: readonly string[] }[] {
  const readable = new Set(OPERATIONS.flatMap(({ id, record, verb }) => ((verb === 'get' || verb === 'getMany') && may(id) ? [record.name as string] : [])))
  const types = EVENT_TYPES.flatMap(({ type, record }) => (readable.has(record.name) ? [type] : []))
  return [...new Set(types.map((type) => type.split('.')[0] ?? ''))].map((name) => ({ name, types: types.filter((type) => type.startsWith(`${name}.`)) }))
}

function EventLine({ event }: { readonly event: Event }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const path = pathOf(event.RecordType, event.RecordID, event.Record)
  return (
    <li className="event">
      <button type="button" className="event-toggle" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'down' : 'right'} size={16} />
        <span className="event-type">
          <Badge tone={TONES[event.Type.split('.')[1] ?? ''] ?? 'plain'}>{event.Type}</Badge>
        </span>
        <span className="event-what">
          {kindOf(event.RecordType, event.Record)} <strong>‘{calledOf(event.RecordType, event.RecordID, event.Record)}’</strong>
          {event.ChangedFields.length > 0 && event.Type.endsWith('.updated') && <span className="soft"> {event.ChangedFields.join(', ')}</span>}
        </span>
        <span className="event-by soft">
          <Person id={event.UserID} /> · <Time at={event.At} />
        </span>
      </button>
      {open && (
        <div className="event-more" id={id}>
          <Code label="The event as JSON" text={JSON.stringify(event, null, 2)} />
          <p className="change-links">
            <Link to={['changes', event.ChangeID]}>The change</Link>
            {path && !event.Type.endsWith('.deleted') && <Link to={path}>Open the record</Link>}
          </p>
        </div>
      )}
    </li>
  )
}

const TONES: { readonly [happening: string]: 'good' | 'bad' | 'accent' | 'warn' } = {
  created: 'good',
  updated: 'accent',
  deleted: 'bad',
  erased: 'bad',
  revoked: 'bad',
  planned: 'warn',
}

/** How to hear the same in one's own program. */
function Following() {
  const { baseUrl } = useSession()
  const [way, setWay] = useState<'curl' | 'sdk'>('curl')
  const text = {
    curl: `curl -N ${baseUrl}/v1/events -H "Authorization: Bearer $CRM_KEY" -H 'Accept: text/event-stream'`,
    sdk: `import { connect } from 'crm-connector'\n\nconst crm = connect({ baseUrl: '${baseUrl}', key: process.env.CRM_KEY })\nfor await (const event of crm.events.follow()) console.log(event.Type, event.RecordID)`,
  }[way]
  return (
    <Card
      title="Follow them yourself"
      acts={
        <Tabs
          label="How"
          tabs={[
            { id: 'curl', label: 'curl' },
            { id: 'sdk', label: 'TypeScript' },
          ]}
          shown={way}
          onShow={setWay}
        />
      }
    >
      <Code label="How to follow the events" text={text} />
    </Card>
  )
}
