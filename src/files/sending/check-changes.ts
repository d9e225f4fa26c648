import type { Crm } from '../../contract/client/client.ts'
import type { Problem } from '../../contract/errors.ts'
import type { ImportTarget } from '../mapping/import-target.ts'
import { type PlannedRow, type RowFault, rejectedRow } from '../planning/planned-row.ts'
import { problemFaults, type Sent } from './sender.ts'

/** No record has this id. The service checks an input before it looks for the record. */
const NO_RECORD = 'none'

/**
 * Checks what is set once a record exists, which a dry run of its create cannot. A faulty input is reported as such; `not_found` means that the input
 * is fine.
 */
export function checkingChanges(
  crm: Crm,
  { type, update, attach }: Pick<ImportTarget, 'type' | 'update' | 'attach'>,
  send: (rows: readonly PlannedRow[]) => Promise<Sent>,
) {
  return async (rows: readonly PlannedRow[]): Promise<Sent> => {
    const calls = rows.flatMap((row) => [
      ...(update && row.changes ? [{ row, Operation: update.id, Input: { [type.id]: NO_RECORD, FieldsToUpdate: row.changes } }] : []),
      ...(attach && row.attached ? [{ row, Operation: attach.id, Input: { [type.id]: NO_RECORD, ...row.attached } }] : []),
    ])
    const faults = new Map<PlannedRow, readonly RowFault[]>()
    for (let at = 0; at < calls.length; at += rows.length) {
      const some = calls.slice(at, at + rows.length)
      const { Results } = await crm.batch({ Operations: some.map(({ Operation, Input }) => ({ Operation, Input })) }, { dryRun: true })
      for (const [i, { row }] of some.entries()) {
        const { Error: problem } = Results[i] as { Error?: Problem }
        if (problem?.code === 'invalid_input') faults.set(row, [...(faults.get(row) ?? []), ...problemFaults(problem)])
      }
    }
    const sent = await send(rows.filter((row) => !faults.has(row)))
    return { ...sent, rejected: [...[...faults].map(([{ row }, some]) => rejectedRow(row, some)), ...sent.rejected] }
  }
}
