import type { Crm, Problem } from 'crm-connector'
import type { PlannedRow, RejectedRow, Sent } from 'crm-connector/files'
import type { Destination } from '../../../console/src/files/slots.ts'

/** No record has it. The service looks at an input before it looks for the record, and so says what is wrong with it all the same. */
const NOBODY = 'none'

/**
 * Checks what is set once a record is there, which a dry run of making it cannot. What is wrong with the input is told; that there is no such record
 * means that nothing is.
 */
export function checkingChanges(crm: Crm, { type, update, attach }: Destination, send: (rows: readonly PlannedRow[]) => Promise<Sent>) {
  return async (rows: readonly PlannedRow[]): Promise<Sent> => {
    const asked = rows.flatMap((row) => [
      ...(update && row.changes ? [{ row, Operation: update.id, Input: { [type.id]: NOBODY, FieldsToUpdate: row.changes } }] : []),
      ...(attach && row.attached ? [{ row, Operation: attach.id, Input: { [type.id]: NOBODY, ...row.attached } }] : []),
    ])
    if (asked.length === 0) return send(rows)
    const wrong = new Map<PlannedRow, string>()
    for (let at = 0; at < asked.length; at += rows.length) {
      const some = asked.slice(at, at + rows.length)
      const { Results } = await crm.batch(
        { Operations: some.map(({ Operation, Input }) => ({ Operation: Operation as 'update_lead', Input })) },
        { dryRun: true },
      )
      for (const [i, { row }] of some.entries()) {
        const { Error: problem } = Results[i] as { Error?: Problem }
        if (problem?.code === 'invalid_input') wrong.set(row, [wrong.get(row), textOf(problem)].filter(Boolean).join(' '))
      }
    }
    const rejected: RejectedRow[] = [...wrong].map(([{ row }, error]) => ({ row, error }))
    const { created, known, rejected: others } = await send(rows.filter((row) => !wrong.has(row)))
    return { created, known, rejected: [...rejected, ...others] }
  }
}

const textOf = ({ errors = [], detail }: Problem) => (errors.length > 0 ? errors.map(({ message }) => message).join(' ') : detail)
