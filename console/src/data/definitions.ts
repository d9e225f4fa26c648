import { useEffect, useRef, useState } from 'react'
import { type Description, useSession } from '../session/session.ts'
import { useLive } from './live.tsx'

/** An import emits thousands of events; they cause one reload. */
const BATCH_MS = 250

const DEFINITIONS: readonly string[] = ['Definition', 'OwnField', 'Connection']

/** Reloads the description when a definition or the connected CRM was changed, or an event contains a custom object or field that it does not have. */
export function useDefinitions(): void {
  const { description, refreshDescription } = useSession()
  /** What was requested already, so that something the service does not describe is not requested for ever. */
  const requested = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useLive(({ Type, RecordType, Record }) => {
    if (!Record) return
    const unknown = namesIn(Type, RecordType, Record).filter(
      ([of, field]) => !isKnown(description, RecordType, of, field) && !requested.current.has(`${of} ${field}`),
    )
    if (unknown.length === 0 && !DEFINITIONS.includes(RecordType)) return
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

/** The custom object or record type of a record alone, and with each of its fields. Other events than these show a note or a membership. */
function namesIn(event: string, type: string, record: { readonly [field: string]: unknown }): [of: string, field: string][] {
  if (type === 'CustomObject') return ['', ...Object.keys(record.Values ?? {})].map((field) => [String(record.ObjectName), field])
  return /\.(?:created|updated)$/.test(event) ? Object.keys(record).map((field) => [type, field]) : []
}

function isKnown({ RecordTypes, CustomObjects }: Description, type: string, of: string, field: string): boolean {
  const object = CustomObjects.find(({ ObjectName }) => ObjectName === of)
  const fields = type === 'CustomObject' ? object?.Fields : RecordTypes.find(({ Name }) => Name === of)?.Fields
  // Of a type that is not described nothing is missing.
  if (!fields) return type !== 'CustomObject'
  return field === '' || fields.some(({ Name }) => Name === field)
}
