import { useEffect, useRef, useState } from 'react'
import { type Description, useSession } from '../session/session.ts'
import { useLive } from './live.tsx'

/** Events of an import come by the thousand; what they define is asked for once. */
const GATHER_MS = 250

/** Asks again what there is when an event names a custom object, or a field of one, that the description does not have. */
export function useDefinitions(): void {
  const { description, describeAgain } = useSession()
  /** What was asked about already; what the service does not describe even so is not asked about for ever. */
  const asked = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useLive(({ RecordType, Record }) => {
    if (RecordType !== 'CustomObject' || !Record) return
    const unknown = namesIn(Record).filter(([object, field]) => !isKnown(description, object, field) && !asked.current.has(`${object} ${field}`))
    if (unknown.length === 0) return
    for (const [object, field] of unknown) asked.current.add(`${object} ${field}`)
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void describeAgain()
    }, GATHER_MS)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
}

/** Asks again what there is, for whoever is about to say that something is not there. Answers whether that was done. */
export function useAskedAgain(): boolean {
  const { describeAgain } = useSession()
  const [asked, setAsked] = useState(false)
  useEffect(() => {
    describeAgain().finally(() => setAsked(true))
  }, [])
  return asked
}

/** The object that a record is of, and each of its fields. */
function namesIn({ ObjectName, Values }: { readonly [field: string]: unknown }): [object: string, field: string][] {
  return ['', ...Object.keys(Values ?? {})].map((field) => [String(ObjectName), field])
}

function isKnown({ CustomObjects }: Description, object: string, field: string): boolean {
  const found = CustomObjects.find(({ ObjectName }) => ObjectName === object)
  return found !== undefined && (field === '' || found.Fields.some(({ Name }) => Name === field))
}
