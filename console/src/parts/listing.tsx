import type { ReactNode } from 'react'
import type { Pages } from '../data/pages.ts'
import { Button } from './button.tsx'
import { Refusal, Skeleton } from './states.tsx'
import './listing.css'

interface Props {
  readonly pages: Pages<unknown>
  /** Where there are no rows. */
  readonly empty?: ReactNode
  /** The rows that are loaded. */
  readonly children: ReactNode
}

/** What a page lists: the rows and a way to more of them, or why there are none. A page that cannot be loaded leaves those before it. */
export function Listing({ pages: { rows, loading, error, more, next, reload }, empty, children }: Props) {
  if (rows.length === 0) return error ? <Refusal error={error} reload={reload} /> : loading ? <Skeleton height="16rem" /> : empty
  return (
    <div>
      {children}
      {error && <Refusal error={error} reload={more ? next : reload} />}
      {more && (
        <p className="listing-more">
          <Button busy={loading} onClick={next}>
            Show more
          </Button>
        </p>
      )}
    </div>
  )
}
