import type { Crm } from '../../contract/client/client.ts'
import type { FieldKind } from '../../contract/fields.ts'
import type { RecordType } from '../../contract/record.ts'
import { CUSTOM_TYPES, type CustomType } from '../../contract/records/custom-object.ts'
import type { CellFormats } from '../mapping/cell-value.ts'
import { type CustomFields, customFields, flattened } from '../mapping/custom-fields.ts'
import { type Description, type ImportTarget, importTarget, matchFields, type TargetField } from '../mapping/import-target.ts'
import { type HowToMap, type Mapping, mapColumns } from '../mapping/mapping.ts'
import { ownerLookup } from '../mapping/owners.ts'
import { columnsIn, type Sample } from '../reading/row-file.ts'
import { cellOf, type FileRow } from '../reading/rows.ts'
import { unlessForbidden } from '../unless-forbidden.ts'
import type { RowFault } from './planned-row.ts'

/** What is known of a file and the workspace before anything is chosen. */
export interface Preparation {
  readonly target: ImportTarget
  /** Where rows update the records that match them; undefined where no operation does that, or the caller may not call it. */
  readonly upserting: ImportTarget | undefined
  readonly description: Description
  /** The custom object that rows are of, where they do not name it themselves. */
  readonly object: string | undefined
  /** The first rows, custom values beside the other fields. */
  readonly rows: readonly FileRow[]
  readonly columns: readonly string[]
}

/** How the rows of a file become calls. The same file planned twice makes the same calls, whatever plans it. */
export interface ImportPlan extends Preparation {
  readonly mapping: Mapping
  readonly custom: CustomFields | undefined
  readonly formats: CellFormats
  /** The fields by which rows are matched with records that are there, which they then update; undefined where every row is a new record. */
  readonly matchBy: readonly string[] | undefined
  /** Those of them that no column has. Every row needs a value to be matched by. */
  readonly unmatched: readonly string[]
  /** The kind of values that a field takes. */
  kindOf(field: TargetField): FieldKind
}

const NOTHING: Description = { Platform: '', RecordTypes: [], CustomObjects: [] }

export interface WhatToPrepare {
  readonly object: string | undefined
  /** Whether all rows are of `object`, also those that name another. */
  readonly onlyObject?: boolean
  readonly may?: (operation: string) => boolean
}

/** Asks the service what rows of this type can hold. Undefined where the caller may not create them. */
export async function prepareImport(crm: Crm, type: RecordType, sample: Sample, { object, onlyObject, may }: WhatToPrepare): Promise<Preparation | undefined> {
  // A key that may not describe knows the contract's fields; the service refuses the rest row by row.
  const description = (await unlessForbidden(crm.describe({ RecordType: type.name }))) ?? NOTHING
  const targetFor = (upserts: boolean): ImportTarget | undefined => {
    const target = importTarget(type, { description, upserts, ...(may && { may }) })
    return target && onlyObject ? { ...target, fields: target.fields.filter(({ name }) => name !== 'ObjectName') } : target
  }
  const target = targetFor(false)
  if (!target) return undefined
  const rows = type.userDefined ? sample.rows.map(flattened) : sample.rows
  return { target, upserting: targetFor(true), description, object, rows, columns: columnsIn(rows, sample.names) }
}

export interface Choices extends Omit<HowToMap, 'custom'> {
  /** Types of new custom fields, by the bare name of the column or field. */
  readonly types?: ReadonlyMap<string, CustomType>
  readonly formats: CellFormats
  /** Where rows update the records that match them. */
  readonly matchBy?: readonly string[] | undefined
}

/** The custom fields of the rows; undefined for record types that have none. */
export function customFieldsOf({ target, description, object, rows }: Preparation, types: Choices['types'] = new Map()): CustomFields | undefined {
  return target.type.userDefined ? customFields({ description, object, sample: rows, types }) : undefined
}

export function planImport(prepared: Preparation, { types, formats, matchBy, chosen, ...how }: Choices): ImportPlan {
  const { columns, object } = prepared
  const target = (matchBy && prepared.upserting) ?? prepared.target
  const custom = customFieldsOf(prepared, types)
  // A field may be written in another step where rows are matched.
  const inTarget = new Map(target.fields.map((field) => [field.name, field]))
  const fields = new Map([...(chosen ?? [])].map(([column, field]) => [column, field && (inTarget.get(field.name) ?? field)]))
  const mapping = mapColumns(target, columns, { ...how, chosen: fields, custom })
  return {
    ...prepared,
    target,
    custom,
    formats,
    matchBy: prepared.upserting && matchBy,
    unmatched: (matchBy ?? []).filter((name) => !mapping.columns.some(({ field }) => field?.name === name)),
    mapping: { ...mapping, missing: mapping.missing.filter(({ name }) => !(name === 'ObjectName' && object !== undefined)) },
    kindOf: (field) => (field.isCustom && custom ? CUSTOM_TYPES[custom.definitionOf(object ?? '', field).Type] : field.kind),
  }
}

/** The column that a fault is about; undefined where it is about the row. */
export const columnOf = ({ mapping }: Pick<ImportPlan, 'mapping'>, { field = '' }: RowFault): string | undefined =>
  mapping.columns.find((one) => one.field && field.split('.').includes(one.field.name))?.column

/** The mapped fields by which rows can be matched, those first that tell records apart best. */
export function matchChoices({ upserting, mapping }: ImportPlan): readonly TargetField[] {
  const names = upserting && new Set(matchFields(upserting).map(({ name }) => name))
  const fields = mapping.columns.flatMap(({ field }) => (field && (names?.has(field.name) || (names && field.isCustom)) ? [field] : []))
  const rank = ({ unique, kind }: TargetField) => (unique ? 0 : kind === 'email' ? 1 : 2)
  return fields.toSorted((a, b) => rank(a) - rank(b))
}

/** The column of owners, where none of the owners in the first rows is a user here, as in a file of another system. It is then left out. */
export async function absentOwnerColumn(crm: Crm, { mapping, rows }: ImportPlan): Promise<string | undefined> {
  const column = mapping.columns.find(({ field }) => field?.name === 'OwnerID')?.column
  if (column === undefined) return undefined
  const names = rows.map((row) => cellOf(row, column)).filter((name): name is string => typeof name === 'string' && name !== '')
  if (names.length === 0) return undefined
  const owners = await ownerLookup(crm)(names)
  return [...owners.values()].every((owner) => 'error' in owner && owner.candidates === 0) ? column : undefined
}
