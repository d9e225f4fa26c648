import { isCondition } from '../../../contract/conditions.ts'
import type { Where } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import type { Row } from './api.ts'
import { CONVERTED } from './error-codes.ts'

/** Says of a lead whether it has become a contact, and so can no longer be changed. */
export const IS_CONVERTED = 'IsConverted'

/** How many converted leads are remembered; Salesforce itself refuses changes of the others. */
const MOST = 10_000

/** The leads of an account that were converted. A conversion is final, so what was seen of one stays true. */
export class ConvertedLeads {
  private readonly seen = new Set<string>()

  /** Notes what rows of leads say of it. */
  note(rows: readonly Row[]): readonly Row[] {
    for (const row of rows) if (row[IS_CONVERTED] === true) this.seen.add(row.Id)
    for (const id of this.seen) {
      if (this.seen.size <= MOST) break
      this.seen.delete(id)
    }
    return rows
  }

  /** Refuses to change a converted lead before anything is sent. */
  refuse(id: string): void {
    if (!this.seen.has(id)) return
    throw new DriverError('platform_rejected', 'This lead was converted in Salesforce, and can no longer be changed.', { hint: CONVERTED })
  }
}

/**
 * Searches leave converted leads out, unless they ask for them: by a field of the configuration that lives in IsConverted, by ids, or by statuses, of
 * which converted leads have some of their own.
 */
export function unconverted(table: Table, where: readonly Where[]): string[] {
  const isAsked = (one: Where): boolean => {
    if (!isCondition(one)) return 'any' in one && one.any.flat().some(isAsked)
    const { through, field, operator } = one
    const name = through ? undefined : table.fields[field]?.name
    return name === IS_CONVERTED || ((name === 'Id' || name === 'Status') && (operator === 'eq' || operator === 'in'))
  }
  return where.some(isAsked) ? [] : [`${IS_CONVERTED} = false`]
}
