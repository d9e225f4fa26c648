import { useState } from 'react'
import { useSession } from '../session/session.ts'
import type { Kind } from './kind.ts'

export type Widths = { readonly [column: string]: number }

/** The columns that somebody has made wider or narrower, in rem. They are kept in this browser. */
export function useColumnWidths(kind: Kind): readonly [Widths, (column: string, width: number | undefined) => void] {
  const { me } = useSession()
  const place = `crm-connector-widths:${me.Workspace}:${kind.path.join('/')}`
  const [widths, setWidths] = useState(() => read(place))
  const set = (column: string, width: number | undefined) => {
    const { [column]: _, ...others } = widths
    const next = width === undefined ? others : { ...others, [column]: width }
    setWidths(next)
    localStorage.setItem(place, JSON.stringify(next))
  }
  return [widths, set]
}

/** What is kept may be from another version, or from nobody. */
function read(place: string): Widths {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? '{}')
    return Object.fromEntries(Object.entries(Object(kept)).filter((one): one is [string, number] => typeof one[1] === 'number'))
  } catch {
    return {}
  }
}
