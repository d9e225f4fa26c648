import { useState } from 'react'
import { useSession } from '../session/session.ts'
import type { RecordSchema } from './record-schema.ts'

export type Widths = { readonly [column: string]: number }

/** The widths of resized columns in rem, stored in this browser. */
export function useColumnWidths(schema: RecordSchema): readonly [Widths, (column: string, width: number | undefined) => void] {
  const { me } = useSession()
  const storageKey = `crm-connector-widths:${me.Workspace}:${schema.path.join('/')}`
  const [widths, setWidths] = useState(() => read(storageKey))
  const set = (column: string, width: number | undefined) => {
    const { [column]: _, ...others } = widths
    const next = width === undefined ? others : { ...others, [column]: width }
    setWidths(next)
    localStorage.setItem(storageKey, JSON.stringify(next))
  }
  return [widths, set]
}

/** The stored value may come from another version. */
function read(storageKey: string): Widths {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '{}')
    return Object.fromEntries(Object.entries(Object(stored)).filter((one): one is [string, number] => typeof one[1] === 'number'))
  } catch {
    return {}
  }
}
