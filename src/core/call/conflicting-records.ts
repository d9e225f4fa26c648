import { CrmError, type Fault } from '../../contract/errors.ts'
import { recordType } from '../../contract/operations.ts'
import type { RecordName } from '../../platforms/platform.ts'
import { mayRead, seesRecord } from '../access/access.ts'
import type { Binding } from '../binding.ts'
import type { Call } from '../service.ts'

/** So many are looked up at most. */
const MOST = 5

/** A refusal that names the records which the write conflicts with, as far as the caller may see them. */
export async function withConflictingRecords(binding: Binding, call: Call, error: unknown, refusal: CrmError): Promise<CrmError> {
  const { conflicting = [] } = binding.platformForNames.classify(error) ?? {}
  const found = (await Promise.all(conflicting.slice(0, MOST).map((one) => faultOf(binding, call, one)))).filter((fault) => fault !== undefined)
  if (found.length === 0) return refusal
  const { code, message, errors = [], hint, retryAfter, cause } = refusal
  return new CrmError(code, `${message} ${found.map((fault) => fault.message).join(' ')}`, {
    errors: [...errors, ...found],
    ...(hint !== undefined && { hint }),
    ...(retryAfter !== undefined && { retryAfter }),
    cause,
  })
}

/** Undefined for a record that the caller may not see, and where that cannot be found out. */
async function faultOf(binding: Binding, { caller }: Call, { type, id }: RecordName): Promise<Fault | undefined> {
  const known = recordType(type)
  if (!mayRead(caller, known)) return undefined
  const record = await binding.platform
    .reader(caller.workspace.number)
    .get(type, id)
    .catch(() => undefined)
  if (!record || !seesRecord(caller, known, record)) return undefined
  return { field: known.id, code: 'conflict', message: `${type} ${id} is much the same.` }
}
