import type { RecordType } from '../../contract/record.ts'
import type { StoredRecord } from '../../platforms/platform.ts'

/** The fields that a new record needs a value in, has no default for, and is not given. A record without an owner is given to the caller. */
export function missingFields(type: RecordType, values: StoredRecord): string[] {
  return Object.entries(type.fields).flatMap(([name, { required, insisted, defaultValue, access }]) => {
    const isAsked = (required || insisted) && access === 'write' && defaultValue === undefined && name !== 'OwnerID'
    return isAsked && (values[name] ?? null) === null ? [name] : []
  })
}
