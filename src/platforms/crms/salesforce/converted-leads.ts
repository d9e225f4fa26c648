import { isCondition } from '../../../contract/conditions.ts'
import type { Condition, LeftOut, Where } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import { toOurWord } from '../engine/translation.ts'
import type { Api, Row } from './api.ts'
import { CONVERTED } from './error-codes.ts'

/** Says of a lead whether it has become a contact, and so can no longer be changed. */
export const IS_CONVERTED = 'IsConverted'

/** How many converted leads are remembered; Salesforce itself refuses changes of the others. */
const MOST = 10_000

/** The leads of an account that were converted. A conversion is final, so what was seen of one stays true. */
export class ConvertedLeads {
  private readonly api: Api
  private readonly seen = new Set<string>()
  private reading: Promise<readonly string[]> | undefined

  constructor(api: Api) {
    this.api = api
  }

  /** The statuses that only converted leads have, in the order of the account. */
  statuses(): Promise<readonly string[]> {
    this.reading ??= this.api
      .everything('SELECT Id, ApiName FROM LeadStatus WHERE IsConverted = true ORDER BY SortOrder ASC')
      .then((rows) => rows.map(({ ApiName }) => String(ApiName)))
      .catch((error: unknown) => {
        this.reading = undefined
        throw error
      })
    return this.reading
  }

  /** Whether a lead that was just read is converted. */
  has(id: string): boolean {
    return this.seen.has(id)
  }

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
  const isAskedBy = ({ through, field, operator }: Condition): boolean => {
    const name = through ? undefined : table.fields[field]?.name
    return name === IS_CONVERTED || ((operator === 'eq' || operator === 'in') && (name === 'Id' || name === 'Status'))
  }
  const isAsked = (one: Where): boolean => (isCondition(one) ? isAskedBy(one) : 'any' in one && one.any.flat().some(isAsked))
  return where.some(isAsked) ? [] : [`${IS_CONVERTED} = false`]
}

/** The same as data, with these statuses of converted leads. */
export function askingForConverted(table: Table | undefined, statuses: readonly string[]): NonNullable<LeftOut[string]> {
  const fields = Object.entries(table?.fields ?? {}).flatMap(([field, place]): [string, string[] | null][] => {
    if (place?.name === IS_CONVERTED || place?.name === 'Id') return [[field, null]]
    return place?.name === 'Status' ? [[field, statuses.map((status) => String(toOurWord(place, status)))]] : []
  })
  return Object.fromEntries(fields)
}
