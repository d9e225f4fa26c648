import type { Fault } from '../../contract/errors.ts'
import { refuse } from '../call/check.ts'
import type { CheckedCall, Prepared } from '../call/types.ts'
import { undoOne } from './undo.ts'
import { undoBatch } from './undo-batch.ts'

/** Undoes a change, with all of its group, or the changes of a batch. */
export async function undoChange(checked: CheckedCall): Promise<Prepared> {
  const { operation, input } = checked
  const { ChangeID, BatchID, Atomic } = input as { readonly ChangeID?: string; readonly BatchID?: string; readonly Atomic?: boolean }
  if (ChangeID === undefined && BatchID === undefined) throw refuse(operation, [fault('ChangeID', 'missing', 'ChangeID is required, or BatchID.')])
  if (ChangeID !== undefined && BatchID !== undefined) throw refuse(operation, [fault('BatchID', 'value', 'ChangeID and BatchID cannot be given together.')])
  if (ChangeID !== undefined && Atomic !== undefined)
    throw refuse(operation, [fault('Atomic', 'value', 'Atomic is for batches, and cannot be given with ChangeID.')])
  return BatchID === undefined ? undoOne(checked) : undoBatch(checked, BatchID, Atomic)
}

const fault = (field: string, code: Fault['code'], message: string): Fault => ({ field, code, message, expected: 'ChangeID or BatchID' })
