import type { Crm } from '../../contract/client/client.ts'
import type { FieldKind } from '../../contract/fields.ts'
import type { RecordType } from '../../contract/record.ts'
import { CUSTOM_TYPES, type CustomType } from '../../contract/records/custom-object.ts'
import type { CellFormats } from '../mapping/cell-value.ts'
import { type CustomFields, customFields, flattened } from '../mapping/custom-fields.ts'
import { type Description, type ImportTarget, importTarget, type TargetField } from '../mapping/import-target.ts'
import { type HowToMap, type Mapping, mapColumns } from '../mapping/mapping.ts'
import { columnsIn, type Sample } from '../reading/row-file.ts'
import { cellOf, type FileRow } from '../reading/rows.ts'
import { unlessForbidden } from '../unless-forbidden.ts'

/** What is known of a file and the workspace before anything is chosen. */
export interface Preparation {
  readonly target: ImportTarget
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
  const target = importTarget(type, { description, ...(may && { may }) })
  if (!target) return undefined
  const rows = type.userDefined ? sample.rows.map(flattened) : sample.rows
  const fields = onlyObject ? target.fields.filter(({ name }) => name !== 'ObjectName') : target.fields
  return { target: { ...target, fields }, description, object, rows, columns: columnsIn(rows, sample.names) }
}

export interface Choices extends Omit<HowToMap, 'custom'> {
  /** Types of new custom fields, by the bare name of the column or field. */
  readonly types?: ReadonlyMap<string, CustomType>
  readonly formats: CellFormats
}

/** The custom fields of the rows; undefined for record types that have none. */
export function customFieldsOf({ target, description, object, rows }: Preparation, types: Choices['types'] = new Map()): CustomFields | undefined {
  return target.type.userDefined ? customFields({ description, object, sample: rows, types }) : undefined
}

export function planImport(prepared: Preparation, { types, formats, ...how }: Choices): ImportPlan {
  const { target, columns, object } = prepared
  const custom = customFieldsOf(prepared, types)
  const mapping = mapColumns(target, columns, { ...how, custom })
  return {
    ...prepared,
    custom,
    formats,
    mapping: { ...mapping, missing: mapping.missing.filter(({ name }) => !(name === 'ObjectName' && object !== undefined)) },
    kindOf: (field) => (field.isCustom && custom ? CUSTOM_TYPES[custom.definitionOf(object ?? '', field).Type] : field.kind),
  }
}

/** The column of owners, where none of the owners in the first rows is a user here, as in a file of another system. It is then left out. */
export async function absentOwnerColumn(crm: Crm, { mapping, rows }: ImportPlan): Promise<string | undefined> {
  const column = mapping.columns.find(({ field }) => field?.name === 'OwnerID')?.column
  if (column === undefined) return undefined
  const ids = [...new Set(rows.map((row) => cellOf(row, column)))].filter((id): id is string => typeof id === 'string' && id !== '')
  if (ids.length === 0) return undefined
  const page = await unlessForbidden(crm.users.getMany({ Filters: { UserID: { in: ids } }, Select: ['UserID'], Limit: 1 }))
  return page?.Records.length === 0 ? column : undefined
}
