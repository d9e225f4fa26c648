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

const counted = (count: number): string => (count === 1 ? '1 record' : `${count || 'all'} records`)

export const recordsText = (plan: Plan): string => counted(countIn(plan))

/** The records that a batch would delete, then those that it would change, as many as its plan names. */
export function BatchRecords({ plan: { Preview } }: { readonly plan: Plan }) {
  const names = Object.entries(Object(Preview.Names) as { readonly [id: string]: string })
  if (names.length === 0) return <Nothing>The preview is no longer stored.</Nothing>
  const isChanged = ([id]: (typeof names)[number]) => Object.hasOwn(Object(Preview.Differences), id)
  return (
    <>
      <NamedRecords verb="Deletes" count={Number(Preview.Deletes)} names={names.filter((one) => !isChanged(one))} />
      <NamedRecords verb="Changes" count={Number(Preview.Updates ?? 0)} names={names.filter(isChanged)} />
    </>
  )
}

interface Named {
  readonly verb: string
  readonly count: number
  readonly names: readonly (readonly [id: string, name: string])[]
}

function NamedRecords({ verb, count, names }: Named) {
  if (count === 0) return null
  return (
    <>
      <p className="soft plan-by">
        {verb} {counted(count)}
        {names.length === 0 ? '.' : names.length < count ? `, the first ${names.length} of them:` : ':'}
      </p>
      <ul className="plan-records">
        {names.map(([id, name]) => (
          <li key={id}>
            <Words>{shownText(name)}</Words>
          </li>
        ))}
      </ul>
    </>
  )
}
