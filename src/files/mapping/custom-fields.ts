import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { nearest } from '../../contract/names.ts'
import { quote } from '../../contract/operations.ts'
import { CUSTOM_TYPES, type CustomType, type FieldDefinition } from '../../contract/records/custom-object.ts'
import { bare } from './column-names.ts'
import type { FileRow } from '../reading/rows.ts'
import { isDate, utcOf } from '../../helpers/times.ts'
import { isRow, type Row } from '../../transports/cli/cells.ts'
import type { Slot } from './import-target.ts'

/** The fields that objects have, by the name of the object and of the field. */
export type Definitions = ReadonlyMap<string, ReadonlyMap<string, FieldDefinition>>

/** The fields that users define themselves: those there are, and those that a file brings. */
export interface OwnFields {
  /** The field for a column; undefined where the column's name cannot be one. */
  slotOf(column: string): Slot | undefined
  /** What a field of an object is: as it is defined, as the row itself says, as a person said, or as it looks in the first rows. */
  definitionOf(object: string, slot: Slot, row?: Row): FieldDefinition & { readonly isNew: boolean }
}

export function ownFields(definitions: Definitions, sample: readonly FileRow[], said: ReadonlyMap<string, string>): OwnFields {
  const types = saidTypes(said)
  const looks = new Map<string, CustomType>()
  const known = [...definitions.values()].flatMap((fields) => [...fields])

  function lookOf(column: string): CustomType {
    let look = looks.get(column)
    if (look === undefined) {
      look = typeOf(sample.map(({ names, cells }) => cells[names.indexOf(column)]))
      looks.set(column, look)
    }
    return look
  }

  return {
    slotOf(column) {
      const [defined] = known.find(([name, { Label }]) => bare(name) === bare(column) || bare(Label) === bare(column)) ?? []
      const name = defined ?? nameFor(column)
      return name === undefined ? undefined : { name, label: column, kind: 'json', step: 'create', required: false, isOwn: true }
    },
    definitionOf(object, { name, label }, row) {
      const defined = definitions.get(object)?.get(name)
      if (defined) return { ...defined, isNew: false }
      const declared = isRow(row?.[name]) ? (row[name] as Partial<FieldDefinition>) : {}
      return { Type: declared.Type ?? types.get(bare(label)) ?? types.get(bare(name)) ?? lookOf(label), Label: declared.Label ?? label, isNew: true }
    },
  }
}

/** A column's name as the name of a field: Hull length is HullLength. */
function nameFor(column: string): string | undefined {
  if (/^[A-Za-z][A-Za-z0-9_]*$/.test(column)) return column.length <= LIMITS.name ? column : undefined
  const words = column
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9_]+/)
    .filter(Boolean)
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return /^[A-Za-z]/.test(name) && name.length <= LIMITS.name ? name : undefined
}

const LOOKS: { readonly [T in Exclude<CustomType, 'String'>]: (cell: unknown) => boolean } = {
  // A zero in front, or anything else that a number would lose, is a text's.
  Number: (cell) => typeof cell === 'number' || (typeof cell === 'string' && String(Number(cell)) === cell && Number.isFinite(Number(cell))),
  Boolean: (cell) => typeof cell === 'boolean' || cell === 'true' || cell === 'false',
  Date: (cell) => typeof cell === 'string' && isDate(cell),
  DateTime: (cell) => typeof cell === 'string' && utcOf(cell) !== undefined,
}

/** What all that is there looks like; a text where it is nothing else. */
function typeOf(cells: readonly unknown[]): CustomType {
  const there = cells.filter((cell) => cell !== undefined && cell !== null && cell !== '')
  const [look] = Object.entries(LOOKS).find(([, looks]) => there.length > 0 && there.every(looks)) ?? ['String']
  return look as CustomType
}

function saidTypes(said: ReadonlyMap<string, string>): Map<string, CustomType> {
  return new Map(
    [...said].map(([name, word]) => {
      const type = Object.keys(CUSTOM_TYPES).find((one) => bare(one) === bare(word))
      if (type !== undefined) return [bare(name), type as CustomType]
      const [near] = nearest(word, Object.keys(CUSTOM_TYPES))
      throw new CrmError('invalid_input', `${quote(name)} cannot be of the type ${quote(word)}.`, {
        hint: `--define takes ${Object.keys(CUSTOM_TYPES).join(', ')}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
      })
    }),
  )
}

/** A row of which the user-defined values are cells like any other, and what it says of their definitions. */
export type Unfolded = FileRow & { readonly declared?: Row }

/** A record as JSON has it, with its user-defined values beside its own. */
export function unfolded(row: FileRow): Unfolded {
  const [values, declared] = [row.cells[row.names.indexOf('Values')], row.cells[row.names.indexOf('Fields')]]
  if (!isRow(values)) return row
  const own = row.names.flatMap((name, i) => (name === 'Values' || name === 'Fields' ? [] : [[name, row.cells[i]] as const]))
  const all = [...own, ...Object.entries(values)]
  return { ...row, names: all.map(([name]) => name), cells: all.map(([, cell]) => cell), ...(isRow(declared) && { declared }) }
}
