import { EVENT_TYPES } from 'crm-connector/contract'
import './event-choice.css'

interface Props {
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  readonly fault: string | undefined
}

const GROUPS = [...new Set(EVENT_TYPES.map(({ record }) => record))].map((record) => {
  const events = EVENT_TYPES.filter((one) => one.record === record)
  return { name: events[0]?.type.split('.')[0] ?? record.name, events }
})

/** The events of a webhook: all, all of a record type, or single ones. */
export function EventChoice({ chosen, onChange, fault }: Props) {
  const everything = chosen.includes('*')
  const set = (type: string, on: boolean, instead: readonly string[]) => {
    const rest = chosen.filter((one) => one !== type && !instead.includes(one))
    onChange(on ? [...rest, type] : rest)
  }
  return (
    <fieldset className="event-choice">
      <legend>Events</legend>
      {fault && (
        <p className="field-fault" role="alert">
          {fault}
        </p>
      )}
      <label className="event-choice-all">
        <input type="checkbox" checked={everything} onChange={(event) => onChange(event.target.checked ? ['*'] : [])} />
        All events, including future types
      </label>
      {!everything &&
        GROUPS.map(({ name, events }) => {
          const whole = `${name}.*`
          const all = chosen.includes(whole)
          return (
            <div key={name} className="event-choice-group">
              <label>
                <input
                  type="checkbox"
                  checked={all}
                  onChange={(event) =>
                    set(
                      whole,
                      event.target.checked,
                      events.map(({ type }) => type),
                    )
                  }
                />
                <code>{whole}</code>
              </label>
              <div>
                {events.map(({ type, happening, summary }) => (
                  <label key={type} title={summary}>
                    <input
                      type="checkbox"
                      aria-label={type}
                      checked={all || chosen.includes(type)}
                      disabled={all}
                      onChange={(event) => set(type, event.target.checked, [])}
                    />
                    {happening.replaceAll('_', ' ')}
                  </label>
                ))}
              </div>
            </div>
          )
        })}
    </fieldset>
  )
}
