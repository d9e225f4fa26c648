import type { Event } from 'crm-connector'
import { EVENT_TYPES, OPERATIONS } from 'crm-connector/contract'
import { useId, useMemo, useRef, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { useLive } from '../data/live.tsx'
import { useRecordNames } from '../data/record-names.ts'
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
import { knownName, pathOf, typeName } from './change-text.ts'
import { LiveMark } from './changes.tsx'
import { latestEvents } from './latest-events.ts'
import './changes.css'
import './events.css'

const FIRST_SHOWN = 100
const MAX_SHOWN = 1000

export function Events() {
  const { crm, may } = useSession()
  const { query } = useRoute()
  const groups = useMemo(() => groupsFor(may), [may])
  const type = query.get('type') ?? ''
  const [paused, setPaused] = useState(false)
  const [liveEvents, setLiveEvents] = useState<readonly Event[]>([])
  const buffer = useRef<Event[]>([])
  const [buffered, setBuffered] = useState(0)
  const { answer, error, reload } = useAnswer((signal) => latestEvents(crm, FIRST_SHOWN, signal), [crm])
  const live = useLive((event) => {
    if (paused) {
      buffer.current.push(event)
      setBuffered(buffer.current.length)
    } else setLiveEvents((all) => [event, ...all].slice(0, MAX_SHOWN))
  })
  const liveIds = new Set(liveEvents.map(({ EventID }) => EventID))
  const all = [...liveEvents, ...(answer ?? []).filter(({ EventID }) => !liveIds.has(EventID))]
  const shown = all.filter(({ Type }) => type === '' || Type === type || (type.endsWith('.*') && Type.startsWith(type.slice(0, -1))))

  function resume() {
    const missed = buffer.current.reverse()
    buffer.current = []
    setLiveEvents((before) => [...missed, ...before].slice(0, MAX_SHOWN))
    setBuffered(0)
    setPaused(false)
  }

  return (
    <Page
      title="Events"
      about="Events of the records you may see, newest first, as automations receive them."
      acts={
        <>
          {live && <LiveMark paused={paused} />}
          <Button icon={paused ? 'play' : 'pause'} disabled={!live} onClick={paused ? resume : () => setPaused(true)}>
            {paused ? `Resume${buffered > 0 ? ` (${buffered} new)` : ''}` : 'Pause'}
          </Button>
        </>
      }
    >
      <div className="events-filter">
        <Field label="Type">
          {(control) => (
            <select {...control} value={type} onChange={(event) => go(['events'], { type: event.target.value || undefined })}>
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
        <Refusal error={error} reload={reload} />
      ) : !answer ? (
        <Skeleton height="24rem" />
      ) : shown.length === 0 ? (
        <Empty
          icon="events"
          title={type === '' ? 'No events yet' : `No recent ${type} events`}
          act={type !== '' && <Button onClick={() => go(['events'])}>Show all events</Button>}
        >
          {live ? 'New events appear here at once.' : 'Reload the page to see new ones.'}
        </Empty>
      ) : (
        <ol className="events">
          {shown.map((event) => (
            <EventLine key={event.EventID} event={event} />
          ))}
        </ol>
      )}
      {/* Shown only after the events above it, so that it does not jump. */}
      {(answer || error) && <HowToFollow />}
    </Page>
  )
}

/** The event types that the key receives: those of records that it may read. */
function groupsFor(may: (operation: string) => boolean): readonly { readonly name: string; readonly types: readonly string[] }[] {
  const readable = new Set(OPERATIONS.flatMap(({ id, record, verb }) => ((verb === 'get' || verb === 'getMany') && may(id) ? [record.name as string] : [])))
  const types = EVENT_TYPES.flatMap(({ type, record }) => (readable.has(record.name) ? [type] : []))
  return [...new Set(types.map((type) => type.split('.')[0] ?? ''))].map((name) => ({ name, types: types.filter((type) => type.startsWith(`${name}.`)) }))
}

function EventLine({ event }: { readonly event: Event }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const nameOf = useRecordNames()
  const path = pathOf(event.RecordType, event.RecordID, event.Record)
  return (
    <li className="event">
      <button type="button" className="event-toggle" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'down' : 'right'} size={16} />
        <span className="event-type">
          <Badge tone={TONES[event.Type.split('.')[1] ?? ''] ?? 'plain'}>{event.Type}</Badge>
        </span>
        <span className="event-what">
          {typeName(event.RecordType, event.Record)} <strong>‘{knownName(event.RecordType, event.RecordID, event.Record, nameOf)}’</strong>
          {event.ChangedFields.length > 0 && event.Type.endsWith('.updated') && <span className="soft"> {event.ChangedFields.join(', ')}</span>}
        </span>
        <span className="event-by soft">
          <Author event={event} /> · <Time at={event.At} />
        </span>
      </button>
      {open && (
        <div className="event-more" id={id}>
          <Code label="Event as JSON" text={JSON.stringify(event, null, 2)} />
          <p className="change-links">
            <Link to={['changes', event.ChangeID]}>Open the change</Link>
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
  restored: 'good',
  erased: 'bad',
  revoked: 'bad',
  planned: 'warn',
}

/** The code that follows the same events. */
/** Who it was, and whether it was done in the CRM itself, which may not tell. */
function Author({ event: { UserID, Source } }: { readonly event: Event }) {
  if (Source !== 'crm') return <Person id={UserID} />
  return UserID === 'nobody' ? (
    'In the CRM'
  ) : (
    <>
      <Person id={UserID} /> in the CRM
    </>
  )
}

function HowToFollow() {
  const { baseUrl } = useSession()
  const [tab, setTab] = useState<'curl' | 'sdk'>('curl')
  const text = {
    curl: `curl -N ${baseUrl}/v1/events -H "Authorization: Bearer $CRM_KEY" -H 'Accept: text/event-stream'`,
    sdk: `import { connect } from 'crm-connector'\n\nconst crm = connect({ baseUrl: '${baseUrl}', key: process.env.CRM_KEY })\nfor await (const event of crm.events.follow()) console.log(event.Type, event.RecordID)`,
  }[tab]
  return (
    <Card
      title="Follow events in your program"
      acts={
        <Tabs
          label="Language"
          tabs={[
            { id: 'curl', label: 'curl' },
            { id: 'sdk', label: 'TypeScript' },
          ]}
          shown={tab}
          onShow={setTab}
        />
      }
    >
      <Code label="Code that follows the events" text={text} />
    </Card>
  )
}
