import { usePeople } from '../data/people-names.ts'
import { IconButton } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { go } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { isEmptyPeriod, type PageFilter, PERIODS } from './page-filter.ts'
import './filter-bar.css'

/** The owner and period of the overview, kept in the address so that a link shows the same. */
export function FilterBar({ filter }: { readonly filter: PageFilter }) {
  const { may } = useSession()
  const { owners, nameOf } = usePeople()
  const { owner, period, from, to } = filter
  const show = (changed: { owner?: string; period?: string; from?: string; to?: string }, how?: { readonly replace: boolean }) => {
    const next = { owner: owner ?? '', period: period as string, from, to, ...changed }
    const days = next.period === 'custom'
    const query = { owner: next.owner, period: next.period === 'all' ? '' : next.period, from: days ? next.from : '', to: days ? next.to : '' }
    go([], Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')), how)
  }
  const known = owner === undefined || owners.some(({ UserID }) => UserID === owner)
  return (
    <search className="overview-filters" aria-label="Filters">
      <IconButton
        icon="close"
        label="Reset filters"
        className={`overview-clear${owner === undefined && period === 'all' ? ' overview-clear-none' : ''}`}
        onClick={() => go([])}
      />
      {((may('get_many_users') && owners.length > 0) || !known) && (
        <Field label="Owner">
          {(control) => (
            <select {...control} value={owner ?? ''} onChange={(event) => show({ owner: event.target.value })}>
              <option value="">Everyone</option>
              {!known && owner !== undefined && <option value={owner}>{nameOf(owner)}</option>}
              {owners.map(({ UserID, Name }) => (
                <option key={UserID} value={UserID}>
                  {Name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Field label="Period">
        {(control) => (
          <select {...control} value={period} onChange={(event) => show({ period: event.target.value })}>
            {Object.entries(PERIODS).map(([id, label]) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {period === 'custom' && (
        <>
          <Field label="From">
            {(control) => <input {...control} type="date" value={from} onChange={(event) => show({ from: event.target.value }, { replace: true })} />}
          </Field>
          <Field label="To" fault={isEmptyPeriod(filter) ? 'Must not be before From.' : undefined}>
            {(control) => <input {...control} type="date" value={to} onChange={(event) => show({ to: event.target.value }, { replace: true })} />}
          </Field>
        </>
      )}
    </search>
  )
}
