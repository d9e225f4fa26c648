import type { Operation } from 'crm-connector/contract'
import { useState } from 'react'
import { Badge, type Tone } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import { GROUPS, matches } from './groups.ts'
import { Prose } from './prose.tsx'
import './operations.css'

export const TIER_TONES: { readonly [tier: string]: Tone } = { read: 'plain', write: 'accent', delete: 'bad', admin: 'warn' }

/** All operations by record type; those that the key does not allow on request. */
export function OperationList() {
  const { may } = useSession()
  const [typed, setTyped] = useState('')
  const [all, setAll] = useState(false)
  const left = GROUPS.flatMap(({ operations }) => operations).filter(({ id }) => !may(id)).length
  const groups = GROUPS.map(({ title, operations }) => ({
    title,
    operations: operations.filter((one) => (all || may(one.id)) && matches(one, typed)),
  })).filter(({ operations }) => operations.length > 0)
  return (
    <Page
      title="Operations"
      about="Everything the service can do: each operation with a form, the request to copy and the answer."
      acts={
        <label className="operations-search">
          <Icon name="search" size={16} />
          <span className="seen-by-readers">Search operations</span>
          <input type="search" placeholder="Search operations" value={typed} onChange={(event) => setTyped(event.target.value)} />
        </label>
      }
    >
      {groups.length === 0 && (
        <Empty icon="search" title="No operations match" act={<Button onClick={() => setTyped('')}>Show all operations</Button>}>
          No name or description contains “{typed}”.
        </Empty>
      )}
      <div className="operations-groups">
        {groups.map(({ title, operations }) => (
          <section key={title} className="operations-group" aria-label={title}>
            <h2>{title}</h2>
            <ul>
              {operations.map((operation) => (
                <li key={operation.id}>
                  <OperationLink operation={operation} allowed={may(operation.id)} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      {left > 0 && <Checkbox label={`Show ${left} operations that this key does not allow`} checked={all} onChange={setAll} />}
    </Page>
  )
}

function OperationLink({ operation, allowed }: { readonly operation: Operation; readonly allowed: boolean }) {
  const { id, name, method, summary, tier } = operation
  return (
    <Link to={['operations', id]} className={`operations-link${allowed ? '' : ' operations-barred'}`}>
      <span className="operations-name">
        <strong>{name}</strong>
        <code>{method}</code>
      </span>
      <span className="operations-tier">
        {!allowed && <Badge>Not allowed</Badge>}
        <Badge tone={TIER_TONES[tier] ?? 'plain'}>{tier}</Badge>
      </span>
      <span className="operations-summary">
        <Prose text={summary} />
      </span>
    </Link>
  )
}
