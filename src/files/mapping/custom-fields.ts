import { LIMITS } from '../../contract/limits.ts'
import { CUSTOM_TYPES, type CustomType, type FieldDefinition } from '../../contract/records/custom-object.ts'
import { isObject } from '../../helpers/is-object.ts'
import { isDate, utcOf } from '../../helpers/times.ts'
import { cellOf, type FileRow } from '../reading/rows.ts'
import { bare } from './column-names.ts'
import type { Description, TargetField } from './import-target.ts'

/** The fields that users define themselves: those that are defined, and those that a file brings. */
export interface CustomFields {
  /** The fields that the object, or the objects that the first rows name, have already. */
  readonly defined: readonly TargetField[]
  /** The field for a column; undefined where the column's name cannot be a field's. */
  fieldFor(column: string): TargetField | undefined
  /** What a field of an object is: as it is defined, as a person chose, as the row itself says, or as its values in the first rows look. */
  definitionOf(object: string, field: TargetField, row?: FlatRow): FieldDefinition & { readonly isNew: boolean }
}

interface HowToDefine {
  readonly description: Pick<Description, 'CustomObjects'>
  /** The object that rows are of, where they do not name it themselves. */
  readonly object: string | undefined
  readonly sample: readonly FileRow[]
  /** Types that a person chose for new fields, by the bare name of the column or field. */
  readonly types: ReadonlyMap<string, CustomType>
}

/**
 * The definitions go into the input of every row, complete, also of fields that exist by now: the idempotency key of a row is made of its input, and must
 * be the same before and after the first import has defined its fields.
 */
export function customFields({ description, object, sample, types }: HowToDefine): CustomFields {
  const objects = new Map(description.CustomObjects.map(({ ObjectName, Fields }) => [ObjectName, new Map(Fields.map((field) => [field.Name, field]))]))
  const named = new Set(object === undefined ? sample.map((row) => cellOf(row, 'ObjectName')) : [object])
  const defined = [...objects].flatMap(([name, fields]) => (named.has(name) ? [...fields.values()] : []))
  const inferred = new Map<string, CustomType>()

  function inferredType(column: string): CustomType {
    const type = inferred.get(column) ?? typeOfValues(sample.map((row) => cellOf(row, column)))
    inferred.set(column, type)
    return type
  }

  const custom = (name: string, label: string): TargetField => ({ name, label, kind: 'json', step: 'create', required: false, isCustom: true })

  return {
    defined: defined.map(({ Name, Label }) => custom(Name, Label)),
    fieldFor(column) {
      const known = defined.find(({ Name, Label }) => bare(Name) === bare(column) || bare(Label) === bare(column))
      const name = known?.Name ?? fieldName(column)
      return name === undefined ? undefined : custom(name, column)
    },
    definitionOf(ofObject, { name, label }, row) {
      const known = objects.get(ofObject)?.get(name)
      if (known) return { Type: known.Type as CustomType, Label: known.Label, isNew: false }
      const declared = isObject(row?.declared?.[name]) ? (row.declared[name] as Partial<FieldDefinition>) : {}
      const Type = types.get(bare(label)) ?? types.get(bare(name)) ?? declared.Type ?? inferredType(label)
      return { Type, Label: declared.Label ?? label, isNew: true }
    },
  }
}

/** A column's name as the name of a field: "Hull length" is HullLength. */
function fieldName(column: string): string | undefined {
  const words = column
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9_]+/)
    .filter(Boolean)
  const name = words[0] === column ? column : words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return /^[A-Za-z]/.test(name) && name.length <= LIMITS.name ? name : undefined
}

/** Choices look like texts, and a reference like any id, so that people say which they are. */
const LOOKS_LIKE: { readonly [T in CustomType]?: (cell: unknown) => boolean } = {
  // A leading zero, or anything else that a number would lose, makes it a text.
  Number: (cell) => typeof cell === 'number' || (typeof cell === 'string' && String(Number(cell)) === cell && Number.isFinite(Number(cell))),
  Boolean: (cell) => typeof cell === 'boolean' || cell === 'true' || cell === 'false',
  Date: (cell) => typeof cell === 'string' && isDate(cell),
  DateTime: (cell) => typeof cell === 'string' && utcOf(cell) !== undefined,
}

/** The type that all values look like, String where there is none. */
function typeOfValues(cells: readonly unknown[]): CustomType {
  const values = cells.filter((cell) => cell !== undefined && cell !== null && cell !== '')
  const [type = 'String'] = Object.entries(LOOKS_LIKE).find(([, looksLike]) => values.length > 0 && values.every(looksLike)) ?? []
  return type as CustomType
}

/** The types that a file can define fields of. A reference needs the record type that it points to. */
export const CUSTOM_TYPE_NAMES = (Object.keys(CUSTOM_TYPES) as readonly CustomType[]).filter((type) => type !== 'Reference')

/** A row whose custom values are cells like any other, and the definitions that it carries. */
export type FlatRow = FileRow & { readonly declared?: { readonly [field: string]: unknown } }

/** Puts the custom values of a record in JSON beside its other fields. */
export function flattened(row: FileRow): FlatRow {
  const [values, declared] = [cellOf(row, 'Values'), cellOf(row, 'Fields')]
  if (!isObject(values)) return row
  const others = row.names.flatMap((name, i) => (name === 'Values' || name === 'Fields' ? [] : [[name, row.cells[i]] as const]))
  const all = [...others, ...Object.entries(values)]
  return { ...row, names: all.map(([name]) => name), cells: all.map(([, cell]) => cell), ...(isObject(declared) && { declared }) }
}
