import { useEffect, useRef, useState } from 'react'
import { type Description, useSession } from '../session/session.ts'
import { useLive } from './live.tsx'

/** Events of an import come by the thousand; what they define is asked for once. */
const BATCH_MS = 250

/** Asks again what there is when an event names a custom object, or a field of one, that the description does not have. */
export function useDefinitions(): void {
  const { description, refreshDescription } = useSession()
  /** What was asked about already; what the service does not describe even so is not asked about for ever. */
  const requested = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useLive(({ RecordType, Record }) => {
    if (RecordType !== 'CustomObject' || !Record) return
    const unknown = namesIn(Record).filter(([object, field]) => !isKnown(description, object, field) && !requested.current.has(`${object} ${field}`))
    if (unknown.length === 0) return
    for (const [object, field] of unknown) requested.current.add(`${object} ${field}`)
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void refreshDescription()
    }, BATCH_MS)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
}

/** Asks again what there is, for whoever is about to say that something is not there. Answers whether that was done. */
export function useDefinitionsRefreshed(): boolean {
  const { refreshDescription } = useSession()
  const [requested, setRequested] = useState(false)
  useEffect(() => {
    refreshDescription().finally(() => setRequested(true))
  }, [])
  return requested
}

/** The object that a record is of, and each of its fields. */
function namesIn({ ObjectName, Values }: { readonly [field: string]: unknown }): [object: string, field: string][] {
  return ['', ...Object.keys(Values ?? {})].map((field) => [String(ObjectName), field])
}

function isKnown({ CustomObjects }: Description, object: string, field: string): boolean {
  const found = CustomObjects.find(({ ObjectName }) => ObjectName === object)
  return found !== undefined && (field === '' || found.Fields.some(({ Name }) => Name === field))
}
