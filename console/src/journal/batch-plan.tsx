import { BATCH } from 'crm-connector/contract'
import { Nothing } from '../parts/states.tsx'
import { shownText } from '../parts/visible-text.ts'
import { Words } from '../parts/words.tsx'
import { operationName } from './change-text.ts'
import type { Plan } from './pending.ts'

type Row = { readonly [name: string]: unknown }

export const isBatch = ({ Operation }: Plan): boolean => Operation === BATCH.id

/** The calls of a batch that waits: `2 × Delete Lead, 1 × Create Case`. */
export function callsText({ Preview }: Plan): string {
  return Object.entries(Object(Preview.Calls) as Row)
    .map(([id, count]) => `${count} × ${operationName(id)}`)
    .join(', ')
}

const countIn = ({ Preview: { Deletes = 0, Updates = 0 } }: Plan): number => Number(Deletes) + Number(Updates)

export const recordsText = (plan: Plan): string => (countIn(plan) === 1 ? '1 record' : `${countIn(plan) || 'all'} records`)

/** The records that a batch would take away or change, as many as its plan names. */
export function BatchRecords({ plan }: { readonly plan: Plan }) {
  const names = Object.entries(Object(plan.Preview.Names) as { readonly [id: string]: string })
  if (names.length === 0) return <Nothing>The preview is no longer stored.</Nothing>
  return (
    <>
      <ul className="plan-records">
        {names.map(([id, name]) => (
          <li key={id}>
            <Words>{shownText(name)}</Words>
          </li>
        ))}
      </ul>
      {names.length < countIn(plan) && <p className="soft plan-by">The first of {recordsText(plan)}.</p>}
    </>
  )
}
