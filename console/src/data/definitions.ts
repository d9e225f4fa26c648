import { useEffect, useRef, useState } from 'react'
import { type Description, useSession } from '../session/session.ts'
import { useLive } from './live.tsx'

/** An import emits thousands of events; they cause one reload. */
const BATCH_MS = 250

/** Reloads the description when a definition was changed, or an event contains a custom object or field that it does not have. */
export function useDefinitions(): void {
  const { description, refreshDescription } = useSession()
  /** What was requested already, so that something the service does not describe is not requested for ever. */
  const requested = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useLive(({ RecordType, Record }) => {
    if (!Record || !['CustomObject', 'Definition'].includes(RecordType)) return
    const unknown = namesIn(Record).filter(([object, field]) => !isKnown(description, object, field) && !requested.current.has(`${object} ${field}`))
    if (unknown.length === 0 && RecordType !== 'Definition') return
    for (const [object, field] of unknown) requested.current.add(`${object} ${field}`)
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void refreshDescription()
    }, BATCH_MS)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
}

/** Reloads the description before a page reports that something does not exist. Returns whether that is done. */
export function useDefinitionsRefreshed(): boolean {
  const { refreshDescription } = useSession()
  const [requested, setRequested] = useState(false)
  useEffect(() => {
    refreshDescription().finally(() => setRequested(true))
  }, [])
  return requested
}

/** The object of a record alone, and with each of its fields. */
function namesIn({ ObjectName, Values }: { readonly [field: string]: unknown }): [object: string, field: string][] {
  return ['', ...Object.keys(Values ?? {})].map((field) => [String(ObjectName), field])
}

function isKnown({ CustomObjects }: Description, object: string, field: string): boolean {
  const found = CustomObjects.find(({ ObjectName }) => ObjectName === object)
  return found !== undefined && (field === '' || found.Fields.some(({ Name }) => Name === field))
}
