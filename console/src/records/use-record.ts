import type { CrmError } from 'crm-connector'
import { useEffect, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { useSession } from '../session/session.ts'
import { readRow } from './calls.ts'
import type { RecordSchema, Row } from './record-schema.ts'

/** A CRM that takes longer is not waited for: what the mirror has of the record is shown meanwhile. */
const WAIT_MS = 2_000

export interface ShownRecord {
  /** Undefined while it is loading; without a row where the record does not exist. */
  readonly answer: { readonly row: Row | undefined } | undefined
  readonly error: CrmError | undefined
  readonly reload: () => void
}

/** A record as the CRM has it; as the mirror has it, with its `AsOf`, until the CRM answers. */
export function useRecord(schema: RecordSchema, id: string, version: number): ShownRecord {
  const { crm } = useSession()
  const asked = [crm, schema, id]
  const fresh = useAnswer(async (signal) => ({ row: await readRow(crm, schema, id, { signal, retries: 0 }) }), [...asked, version])
  const [late, setLate] = useState(false)
  const waits = !fresh.answer && fresh.error?.code !== 'not_found'
  useEffect(() => {
    if (!waits) return setLate(false)
    const timer = setTimeout(() => setLate(true), WAIT_MS)
    return () => clearTimeout(timer)
  }, [waits])
  const mirrored = useAnswer(async (signal) => (late ? { row: await readRow(crm, schema, id, { signal, retries: 0 }, false) } : undefined), [...asked, late])
  const answer = fresh.answer ?? (waits && mirrored.answer?.row ? mirrored.answer : undefined)
  return { answer, error: fresh.error, reload: fresh.reload }
}
