import { OPERATIONS } from 'crm-connector/contract'
import { type ReactNode, useState } from 'react'
import { usePeople } from '../data/people-names.ts'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { go } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { operationName, typeName } from './change-text.ts'

/** The filters as the address has them. */
export const FILTERS = ['type', 'operation', 'user', 'outcome', 'from', 'to', 'record', 'batch', 'key'] as const
export type ChangeFilter = (typeof FILTERS)[number]
export type ChangeQuery = { readonly [name in ChangeFilter]?: string }

export function queryIn(query: URLSearchParams): ChangeQuery {
  return Object.fromEntries(FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])))
}

/** The filters as the API takes them. Days are in the browser's time zone. */
export function filtersOf({ type, operation, user, outcome, from, to, record, batch, key }: ChangeQuery) {
  const day = (text: string, later = 0) => {
    const at = new Date(`${text}T00:00:00`)
    at.setDate(at.getDate() + later)
    return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
  }
  const [since, until] = [from && day(from), to && day(to, 1)]
  return {
    ...(type && { RecordType: type }),
    ...(operation && { Operation: operation }),
    ...(user && { UserID: user }),
    ...(key && { KeyID: key }),
    ...(record && { RecordID: record }),
    ...(batch && { BatchID: batch }),
    ...(outcome && { Outcome: outcome === 'refused' ? { ne: 'ok' } : outcome }),
    ...((since || until) && { At: { ...(since && { gte: since }), ...(until && { lt: until }) } }),
  }
}

const WRITES = OPERATIONS.filter(({ effect }) => effect !== 'read')
const TYPES = [...new Set(WRITES.map(({ record }) => record.name))].filter(
  (name) => name !== 'Change' && name !== 'Note' && name !== 'Comment' && name !== 'Membership',
)

/** The filters of the changes, kept in the address. */
export function ChangeFilters({ query, children }: { readonly query: ChangeQuery; readonly children?: ReactNode }) {
  const { me } = useSession()
  const { people } = usePeople()
  const [open, setOpen] = useState(Object.keys(query).length > 0)
  const set = (name: ChangeFilter, value: string, how?: { readonly replace: boolean }) =>
    go(['changes'], { ...query, [name]: value === '' ? undefined : value }, how)
  const choice = (name: ChangeFilter, label: string, any: string, choices: readonly (readonly [string, string])[]) => (
    <Field label={label}>
      {(control) => (
        <select {...control} value={query[name] ?? ''} onChange={(event) => set(name, event.target.value)}>
          <option value="">{any}</option>
          {query[name] && !choices.some(([value]) => value === query[name]) && <option value={query[name]}>{query[name]}</option>}
          {choices.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
  const day = (name: 'from' | 'to', label: string) => (
    <Field label={label}>
      {(control) => <input {...control} type="date" value={query[name] ?? ''} onChange={(event) => set(name, event.target.value, { replace: true })} />}
    </Field>
  )
  const given = Object.keys(query).length
  return (
    <search className="change-filters">
      <div className="change-filters-head">
        <Button icon="filter" small aria-expanded={open} onClick={() => setOpen(!open)}>
          {given > 0 ? `Filters (${given})` : 'Filters'}
        </Button>
        {given > 0 && (
          <Button kind="quiet" small icon="close" onClick={() => go(['changes'])}>
            Reset
          </Button>
        )}
        {children}
      </div>
      {open && (
        <div className="change-filters-grid">
          {choice(
            'type',
            'Record type',
            'All types',
            TYPES.map((name) => [name, capital(typeName(name, null))] as const),
          )}
          {choice(
            'operation',
            'Operation',
            'All operations',
            WRITES.map(({ id }) => [id, operationName(id)] as const),
          )}
          {choice(
            'user',
            'User',
            'Everyone',
            people.map(({ UserID, Name }) => [UserID, Name] as const),
          )}
          {me.Role === 'admin' &&
            choice('outcome', 'Outcome', 'Any', [
              ['ok', 'Succeeded'],
              ['refused', 'Refused'],
            ])}
          {day('from', 'From')}
          {day('to', 'To')}
          <TextFilter label="Record id" value={query.record ?? ''} onDone={(value) => set('record', value)} />
          {query.batch && <TextFilter label="Group id" value={query.batch} onDone={(value) => set('batch', value)} />}
          {query.key && <TextFilter label="Key id" value={query.key} onDone={(value) => set('key', value)} />}
        </div>
      )}
    </search>
  )
}

/** Applied on Enter or when the input loses the focus, not with each letter. */
function TextFilter({ label, value, onDone }: { readonly label: string; readonly value: string; readonly onDone: (value: string) => void }) {
  return (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          key={value}
          defaultValue={value}
          spellCheck={false}
          onBlur={(event) => event.target.value.trim() !== value && onDone(event.target.value.trim())}
          onKeyDown={(event) => event.key === 'Enter' && onDone(event.currentTarget.value.trim())}
        />
      )}
    </Field>
  )
}

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
