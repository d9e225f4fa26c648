import { columnOf, type FileRow, type ImportPlan, type RejectedRow, type RowFault, rejectedRow, withCell } from 'crm-connector/files'

/** What a person has corrected about a file: every further check and the import take it, whatever is chosen about the file meanwhile. */
export interface Corrections {
  /** Rows by their lines. What is typed goes straight into this map, so that a large table is not rendered for each letter. */
  readonly rows: Map<number, FileRow>
  /** Values of a field that are written as another one. */
  readonly values: FieldValues
}

/** By the name of a field: a value of the file, and the one to be written instead. */
export type FieldValues = ReadonlyMap<string, ReadonlyMap<string, string>>

export const noCorrections = (): Corrections => ({ rows: new Map(), values: new Map() })

/** A row of the file as it was corrected. */
export function correctedRow(row: FileRow, { mapping }: ImportPlan, { rows, values }: Corrections): FileRow {
  const own = rows.get(row.line) ?? row
  if (values.size === 0 || own.fault !== undefined) return own
  return own.names.reduce((one, column, i) => {
    const instead = values.get(mapping.of(column).field?.name ?? '')?.get(String(own.cells[i]))
    return instead === undefined ? one : withCell(one, column, instead)
  }, own)
}

/** How many of the rejected rows are not what was rejected any more: they wait to be checked. */
export const waitingRows = (rejected: readonly RejectedRow[], plan: ImportPlan, corrections: Corrections): number =>
  rejected.filter(({ row }) => corrections.rows.has(row.line) && !isSame(correctedRow(row, plan, corrections), row)).length

const isSame = (one: FileRow, other: FileRow) => JSON.stringify([one.cells, one.fault]) === JSON.stringify([other.cells, other.fault])

/** With further values of fields; those that are undefined are written as they are in the file again. */
export function withValues({ rows, values }: Corrections, field: string, instead: ReadonlyMap<string, string | undefined>): Corrections {
  const all = [...new Map([...(values.get(field) ?? []), ...instead])]
  const own = new Map(all.flatMap(([value, other]) => (other === undefined ? [] : [[value, other] as const])))
  const others = [...values].filter(([name]) => name !== field)
  return { rows, values: new Map(own.size > 0 ? [...others, [field, own]] : others) }
}

/** A rejected row whose faults name the columns of the file, which a person sees, and not the fields of the service. */
export function inColumnWords(plan: ImportPlan, { row, faults }: RejectedRow): RejectedRow {
  return rejectedRow(
    row,
    faults.map((fault) => ({ ...fault, message: messageFor(plan, fault) })),
  )
}

function messageFor(plan: ImportPlan, fault: RowFault): string {
  const { field = '', message } = fault
  const label = columnOf(plan, fault) ?? plan.target.fields.find(({ name }) => name === field)?.label
  return label !== undefined && message.startsWith(`${field} `) ? `${label}${message.slice(field.length)}` : message
}
