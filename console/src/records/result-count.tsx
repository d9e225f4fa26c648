import { Fragment, useRef } from 'react'
import { numberText, Time } from '../parts/values.tsx'
import type { RecordSchema } from './record-schema.ts'
import type { SearchState } from './use-search.ts'

interface Counts {
  /** Undefined where the service could not say. */
  readonly total: number | undefined
  /** How many rows are loaded so far. */
  readonly loaded: number
  readonly filtered: boolean
  readonly search: SearchState
  /** How old they are, where they are from a mirror. */
  readonly asOf: string | undefined
}

/** How many records a table has, and in which fields they were found. While the next view loads, the counts of the last one stay. */
export function ResultCount({ schema, settled, ...counts }: Counts & { readonly schema: RecordSchema; readonly settled: boolean }) {
  const last = useRef<Counts>(undefined)
  if (settled) last.current = counts
  if (!last.current) return '…'
  const { total, loaded, filtered, search, asOf } = last.current
  const number = total === undefined ? `More than ${numberText(loaded)}` : numberText(total)
  return (
    <>
      {`${number} ${total === 1 ? schema.one : schema.many}${filtered ? (total === 1 ? ' matches' : ' match') : ''}`}
      {search.foundIn !== undefined && ` in ${search.foundIn}`}
      {search.others.length > 0 && (
        <>
          , also in{' '}
          {search.others.map(({ foundIn, apply }, nth) => (
            <Fragment key={foundIn}>
              {nth > 0 && ', '}
              <button type="button" className="records-word" onClick={apply}>
                {foundIn}
              </button>
            </Fragment>
          ))}
        </>
      )}
      {asOf !== undefined && (
        <>
          {' '}
          · as of <Time at={asOf} past />
        </>
      )}
    </>
  )
}
