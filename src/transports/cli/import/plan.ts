import type { Crm } from '../../../contract/client/client.ts'
import { CrmError } from '../../../contract/errors.ts'
import { quote } from '../../../contract/operations.ts'
import type { CustomType } from '../../../contract/records/custom-object.ts'
import { describedPlatform } from '../../../core/call/extension.ts'
import type { HowWritten } from '../../../files/mapping/cell-value.ts'
import { isNameless } from '../../../files/reading/header.ts'
import type { FileRow } from '../../../files/reading/rows.ts'
import { unlessForbidden } from '../further-fields.ts'
import { destinationOf, destinationOn } from '../../../files/mapping/import-target.ts'
import { type MappedColumn, type Mapping, mapColumns } from '../../../files/mapping/mapping.ts'
import { type Definitions, ownFields, unfolded } from '../../../files/mapping/custom-fields.ts'
import type { Planning } from '../../../files/planning/row-planner.ts'
import type { RowFile, Sample } from '../../../files/reading/row-file.ts'

/** What a person has said about a file. */
export interface Said {
  readonly type?: string
  readonly object?: string
  readonly map: ReadonlyMap<string, string>
  readonly ignore: readonly string[]
  readonly define: ReadonlyMap<string, string>
  readonly numbers: HowWritten['numbers']
  readonly dates: HowWritten['dates']
}

/** Everything that is needed to turn rows into calls, except their keys. */
export type Draft = Omit<Planning, 'keys'>

/** Finds out what the rows of a file become: from its name and first rows, what was said, and what the workspace has defined. */
export async function draftFor(crm: Crm, file: RowFile, sample: Sample, said: Said): Promise<Draft> {
  const named = said.type ?? (said.object === undefined ? undefined : 'CustomObject')
  const plain = columnsOf(sample.rows, sample.names)
  const found = destinationOf(named, file.path, plain, (one) => {
    const { columns, missing } = mapColumns(one, plain, { map: new Map(), ignore: [] })
    return missing.length > 0 ? undefined : columns.filter(({ slot }) => slot).length
  })
  // Whoever may only write learns from refusals what others are told before.
  const { Platform = '', CustomObjects = [], RecordTypes = [] } = (await unlessForbidden(crm.describe({ RecordType: found.type.name }))) ?? {}
  const destination = destinationOn(describedPlatform({ Platform, RecordTypes }), found)
  const { type, create } = destination
  const rows = type.userDefined ? sample.rows.map(unfolded) : sample.rows
  const own = type.userDefined ? ownFields(definitionsIn(CustomObjects), rows, said.define) : undefined
  const mapping = mapColumns(destination, columnsOf(rows, sample.names), { ...said, ...(own && { own: own.slotOf }) })
  const missing = mapping.missing.filter(({ name }) => !(name === 'ObjectName' && said.object !== undefined))
  if (missing.length > 0) {
    const free = mapping.columns.filter(({ slot }) => !slot).map(({ column }) => quote(column))
    throw new CrmError('invalid_input', `${create.name} needs ${missing.map(({ name }) => name).join(' and ')}, and no column of ${file.path} fits.`, {
      hint: missing.some(({ name }) => name === 'ObjectName')
        ? 'Say which object the rows are of with --object NAME.'
        : `Say which column it is: --map 'COLUMN=${missing[0]?.name}'.${free.length > 0 ? ` Without a field are ${free.slice(0, 12).join(', ')}.` : ''}`,
    })
  }
  const known = await withOwners(crm, mapping, rows)
  const closed = RecordTypes.flatMap(({ Fields }) => Fields.flatMap(({ Name, AllowedValues }) => (AllowedValues ? [[Name, AllowedValues] as const] : [])))
  const written = { numbers: said.numbers, dates: said.dates, isLoose: file.format === 'xlsx' }
  return { destination, mapping: known, written, own, object: said.object, closed: new Map(closed) }
}

/** Leaves out a column of owners of whom none is here, as in a file that comes from elsewhere. */
async function withOwners(crm: Crm, mapping: Mapping, rows: readonly FileRow[]): Promise<Mapping> {
  const owner = mapping.columns.find(({ slot }) => slot?.name === 'OwnerID')
  if (!owner) return mapping
  const named = [...new Set(rows.flatMap(({ names, cells }) => cells[names.indexOf(owner.column)] ?? []))].filter((id) => typeof id === 'string' && id !== '')
  if (named.length === 0) return mapping
  const page = await unlessForbidden(crm.users.getMany({ Filters: { UserID: { in: named as string[] } }, Select: ['UserID'], Limit: 1 }))
  if (page === undefined || page.Records.length > 0) return mapping
  const left: MappedColumn = { column: owner.column, left: 'nobody' }
  return {
    ...mapping,
    columns: mapping.columns.map((one) => (one === owner ? left : one)),
    of: (column) => (column === owner.column ? left : mapping.of(column)),
  }
}

/** Every column that the file names or its first rows have, but for those that a spreadsheet leaves behind: without a name and without a value. */
function columnsOf(rows: readonly FileRow[], names: readonly string[] = []): string[] {
  const readable = rows.filter(({ fault }) => fault === undefined)
  const isLeftBehind = (name: string, i: number) => isNameless(name, i) && !readable.some((row) => row.names[i] === name && row.cells[i] !== undefined)
  const empty = new Set(names.filter(isLeftBehind))
  return [...new Set([...names, ...readable.flatMap((row) => row.names)])].filter((name) => !empty.has(name))
}

function definitionsIn(objects: Awaited<ReturnType<Crm['describe']>>['CustomObjects']): Definitions {
  return new Map(
    objects.map(({ ObjectName, Fields }) => [ObjectName, new Map(Fields.map(({ Name, Type, Label }) => [Name, { Type: Type as CustomType, Label }]))]),
  )
}

/** Columns that nobody has said what to do with. */
export const unsaid = (columns: readonly MappedColumn[]) => columns.filter(({ left }) => left === 'unknown' || left === 'taken').map(({ column }) => column)
