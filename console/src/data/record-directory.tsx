import { OPERATIONS, type Operation, recordName, recordType } from 'crm-connector/contract'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { shownText } from '../parts/visible-text.ts'
import { useSession } from '../session/session.ts'
import { type NameOfRecord, RecordNamesContext } from './record-names.ts'

/** Ids that are rendered together are looked up in one call. */
const BATCH_MS = 50
const MOST = 200

const reads: readonly Operation[] = OPERATIONS.filter(({ verb }) => verb === 'getMany')
const keyOf = (type: string, id: string) => `${type} ${id}`

/** The names of records that are referred to outside of their pages, looked up when they are rendered, each once. */
export function RecordDirectory({ children }: { readonly children: ReactNode }) {
  const { crm, may } = useSession()
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map())
  const asked = useRef(new Set<string>())
  const wanted = useRef(new Map<string, string[]>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const find = async (type: string, ids: readonly string[]) => {
    const read = reads.find(({ record }) => record.name === type)
    if (!read || !may(read.id)) return
    const { id } = recordType(type)
    for (let from = 0; from < ids.length; from += MOST) {
      const input = { Filters: { [id]: { in: ids.slice(from, from + MOST) } }, Limit: MOST }
      const { Records } = (await crm.call(read.id, input)) as { readonly Records: readonly { readonly [field: string]: unknown }[] }
      setNames((before) => new Map([...before, ...Records.map((row) => [keyOf(type, String(row[id])), shownText(recordName(type, row) ?? '')] as const)]))
    }
  }
  const flush = () => {
    timer.current = undefined
    const all = [...wanted.current]
    wanted.current.clear()
    // Without an answer the end of the id stays.
    for (const [type, ids] of all) find(type, ids).catch(() => {})
  }
  const nameOf: NameOfRecord = useCallback(
    (type, id) => {
      const key = keyOf(type, id)
      if (!asked.current.has(key)) {
        asked.current.add(key)
        wanted.current.set(type, [...(wanted.current.get(type) ?? []), id])
        timer.current ??= setTimeout(flush, BATCH_MS)
      }
      return names.get(key) || undefined
    },
    [names],
  )
  return <RecordNamesContext value={nameOf}>{children}</RecordNamesContext>
}
