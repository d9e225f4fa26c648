import type { FieldKind } from '../../contract/fields.ts'
import type { RecordType } from '../../contract/record.ts'
import { isObject } from '../../helpers/is-object.ts'
import type { Column } from './table.ts'
import { inOneLine, tamed } from './text.ts'

export type Row = { readonly [member: string]: unknown }

export const isRow: (value: unknown) => value is Row = isObject
export const isPlain = (value: unknown) => typeof value !== 'object' || value === null
const isPlainList = (value: unknown) => Array.isArray(value) && value.every(isPlain)

/** Whether a value fits on a line. */
export const isShort = (value: unknown) => isPlain(value) || isPlainList(value)

/** Of which kind a field of a record is; undefined where the record has no such field. */
export function kindOf(record: RecordType | undefined, name: string): FieldKind | undefined {
  return record && Object.hasOwn(record.fields, name) ? record.fields[name]?.kind : undefined
}

const MOMENT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)(?:\.\d+)?Z$/
const MOMENTS = /(Date|At|Created|Since|Until)$/

/** A value as a person reads it, which may take several lines. Times are in UTC, as filters take them. */
export function shown(name: string, value: unknown, kind?: FieldKind): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') {
    const [, day, minute, second] = (kind === 'timestamp' || (kind === undefined && MOMENTS.test(name)) ? MOMENT.exec(value) : null) ?? []
    return day === undefined ? tamed(value) : `${day} ${minute}${second}Z`
  }
  if (isPlainList(value)) return tamed((value as unknown[]).join(', '))
  if (typeof value === 'object') return tamed(JSON.stringify(value))
  return typeof value === 'number' ? rounded(value) : String(value)
}

/** Rounds a quotient to four decimals; a number of few digits is shown as it is. */
function rounded(value: number): string {
  const text = String(value)
  return text.length > 14 && Math.abs(value) >= 0.001 ? String(Number(value.toFixed(4))) : text
}

/** The same in one line and as short as a table wants it. */
export function cellOf(name: string, value: unknown, kind?: FieldKind): string {
  return inOneLine(shown(name, value, kind)).replace(/^(\d{4}-\d\d-\d\d \d\d:\d\d):\d\dZ$/, '$1Z')
}

/** How much each kind of column can be spared: what is empty most of all, then what no line has room for, then what records of every type carry. */
const SPARE = { empty: 4, nested: 3, bookkeeping: 2, otherId: 1, own: 0 } as const
/** What is shown to be copied. */
const COPIED = ['Key', 'Secret', 'Head', 'Checksum']
const BOOKKEEPING = ['OwnerID', 'UpdatedDate', 'Revision', 'Number', 'Transport', 'RequestID', 'IdempotencyKey']

/** The columns of rows, by what is in them. The members of a record's user-defined values are columns like any other. */
export function columnsOf(rows: readonly Row[], record?: RecordType): { readonly columns: readonly Column[]; readonly cells: (row: Row) => string[] } {
  const flat = (row: Row) => flattened(row, record)
  const members = new Set(rows.flatMap((row) => Object.keys(flat(row))))
  const names = [...members]
  const columns = names.map((name, i): Column => {
    const values = rows.map((row) => flat(row)[name]).filter((value) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0))
    const isId = kindOf(record, name) === 'id' || /ID$/.test(name)
    const how =
      values.length === 0
        ? 'empty'
        : !values.every(isShort)
          ? 'nested'
          : BOOKKEEPING.includes(name)
            ? 'bookkeeping'
            : isId && i > 0 && name !== 'RecordID'
              ? 'otherId'
              : 'own'
    return {
      name,
      right: values.length > 0 && values.every((value) => typeof value === 'number'),
      whole: isId || kindOf(record, name) === 'timestamp' || kindOf(record, name) === 'date' || COPIED.includes(name),
      painted: isId,
      spare: SPARE[how],
      empty: how === 'empty',
    }
  })
  return {
    columns,
    cells(row) {
      const values = flat(row)
      return names.map((name) => cellOf(name, values[name], kindOf(record, name)))
    },
  }
}

/** A record with its user-defined values beside its own, and without their definitions. */
function flattened(row: Row, record: RecordType | undefined): Row {
  const name = record?.userDefined
  const values = name === undefined ? undefined : row[name]
  if (name === undefined || !isRow(values)) return row
  const { [name]: _, Fields, ...own } = row
  return { ...own, ...values }
}
