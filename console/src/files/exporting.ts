import type { Crm } from 'crm-connector'
import { LIMITS, OPERATIONS, type Operation, recordType } from 'crm-connector/contract'
import { csvLine, harmless } from 'crm-connector/files'
import type { Description } from '../session/session.ts'

export type ExportFormat = 'csv' | 'ndjson'

type Row = { readonly [field: string]: unknown }

export interface Wanted {
  readonly type: string
  readonly objectName: string | undefined
  readonly filters: Row | undefined
  readonly orderBy: string | undefined
}

const ALL: readonly Operation[] = OPERATIONS
const operationOf = (type: string, verb: string) => ALL.find((one) => one.record.name === type && one.verb === verb)

/** Large enough that asking costs little, small enough that progress is seen. */
const PAGE = LIMITS.page

/** Which records: those of an object say so in their filters. */
const filtersOf = ({ objectName, filters }: Wanted): Row => ({ ...(objectName !== undefined && { ObjectName: objectName }), ...filters })

/** All records that match, a page at a time; oldest first unless said, so that they keep their order when they are imported again. */
export async function* pagesOf(crm: Crm, wanted: Wanted, signal: AbortSignal): AsyncGenerator<readonly Row[]> {
  const operation = operationOf(wanted.type, 'getMany')
  if (!operation) return
  const Filters = filtersOf(wanted)
  let Cursor: string | null = null
  do {
    const input = {
      ...(Object.keys(Filters).length > 0 && { Filters }),
      OrderBy: wanted.orderBy ?? recordType(wanted.type).createdField,
      Limit: PAGE,
      ...(Cursor !== null && { Cursor }),
    }
    const page = (await crm.call(operation.id as string, input, { signal })) as { Records: readonly Row[]; NextCursor: string | null }
    yield page.Records
    Cursor = page.NextCursor
  } while (Cursor !== null)
}

/** How many there are, where a summary can tell. */
export async function totalOf(crm: Crm, may: (operation: string) => boolean, wanted: Wanted, signal: AbortSignal): Promise<number | undefined> {
  const summary = operationOf(wanted.type, 'getSummary')
  if (!summary || !may(summary.id)) return undefined
  try {
    const Filters = filtersOf(wanted)
    return ((await crm.call(summary.id as string, Object.keys(Filters).length > 0 ? { Filters } : {}, { signal, retries: 0 })) as { Total: number }).Total
  } catch {
    // It is only for the bar.
    return undefined
  }
}

/** The columns of a CSV file: the fields of the record, those of a custom object where their values would stand. */
export function columnsFor({ type, objectName }: Wanted, { RecordTypes, CustomObjects }: Description): string[] {
  const { fields, userDefined } = recordType(type)
  const described = RecordTypes.find(({ Name }) => Name === type)?.Fields.map(({ Name }) => Name)
  const own = described ?? Object.keys(fields).filter((name) => fields[name]?.access !== 'secret')
  const defined = CustomObjects.filter(({ ObjectName }) => objectName === undefined || ObjectName === objectName).flatMap(({ Fields }) =>
    Fields.map(({ Name }) => Name),
  )
  return own.flatMap((name) => (name === userDefined ? [...new Set(defined)].sort() : [name]))
}

/** Records as text, a page at a time. Values are written as they are, so that the file can be imported again, unless it is for spreadsheets. */
export function writerFor(format: ExportFormat, columns: readonly string[], type: string, forSpreadsheets: boolean) {
  const { userDefined = '' } = recordType(type)
  const cell = forSpreadsheets ? harmless : (value: unknown) => value
  return {
    head: format === 'csv' ? csvLine(columns) : '',
    page: (rows: readonly Row[]) =>
      rows
        .map((row) => {
          if (format === 'ndjson') return `${JSON.stringify(row)}\n`
          const flat = { ...row, ...(row[userDefined] as Row | undefined) }
          return csvLine(columns.map((name) => cell(flat[name])))
        })
        .join(''),
  }
}
