import { Fragment, useRef } from 'react'
import { numberText } from '../parts/values.tsx'
import type { Kind } from './kind.ts'
import type { Searching } from './where-found.ts'

interface Counted {
  /** Undefined where the service could not say. */
  readonly total: number | undefined
  /** How many have come so far. */
  readonly come: number
  readonly filtered: boolean
  readonly searching: Searching
}

/** How many records a table has, and where they were found. While another question is asked, the answer to the one before stays whole. */
export function Found({ kind, settled, ...counted }: Counted & { readonly kind: Kind; readonly settled: boolean }) {
  const known = useRef<Counted>(undefined)
  if (settled) known.current = counted
  if (!known.current) return '…'
  const { total, come, filtered, searching } = known.current
  const number = total === undefined ? `More than ${numberText(come)}` : numberText(total)
  return (
    <>
      {`${number} ${total === 1 ? kind.one : kind.many}${filtered ? (total === 1 ? ' matches' : ' match') : ''}`}
      {searching.where !== undefined && ` in ${searching.where}`}
      {searching.others.length > 0 && (
        <>
          , also in{' '}
          {searching.others.map(({ where, see }, nth) => (
            <Fragment key={where}>
              {nth > 0 && ', '}
              <button type="button" className="records-word" onClick={see}>
                {where}
              </button>
            </Fragment>
          ))}
        </>
      )}
    </>
  )
}
