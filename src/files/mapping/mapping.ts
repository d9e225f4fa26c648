import { REJECT_COLUMNS } from '../reading/rows.ts'
import { bare, fieldNamed, fieldsLabelled } from './column-names.ts'
import type { CustomFields } from './custom-fields.ts'
import type { ImportTarget, TargetField } from './import-target.ts'

/** Why a column is left out. */
export type LeftOut = 'chosen' | 'rejects' | 'generated' | 'no owner' | 'second owner' | 'taken' | 'unknown'

/** The field that a column goes to, or why it goes to none. */
export interface MappedColumn {
  readonly column: string
  readonly field?: TargetField
  readonly leftOut?: LeftOut
  /** The fields that all have this label, of which one has to be chosen. */
  readonly several?: readonly string[]
}

export interface Mapping {
  readonly columns: readonly MappedColumn[]
  /** Fields that every record needs and no column has. */
  readonly missing: readonly TargetField[]
  /** Fields that several columns go to, each with the columns. */
  readonly conflicts: readonly { readonly field: TargetField; readonly columns: readonly string[] }[]
  /** The mapping of a column by its name, also of one that only a later row has. */
  of(column: string): MappedColumn
}

/** What was chosen for columns: a field, or null to leave the column out. What was not chosen goes by its name. */
export type ChosenFields = ReadonlyMap<string, TargetField | null>

export interface HowToMap {
  readonly chosen?: ChosenFields
  readonly custom?: CustomFields | undefined
  /** A column of owners none of whom is a user here. */
  readonly absentOwner?: string | undefined
  /** Leave out every column that fits no field. */
  readonly ignoreUnknown?: boolean
}

/** Finds the field for each column: as it was chosen, or by name or label in any spelling. Of several columns for one field the nearest name gets it. */
export function mapColumns(target: ImportTarget, columns: readonly string[], how: HowToMap): Mapping {
  const { chosen, custom, absentOwner, ignoreUnknown = false } = how
  const areRejects = REJECT_COLUMNS.every((name, i) => columns.at(i - REJECT_COLUMNS.length) === name)
  const isReject = (column: string) => areRejects && REJECT_COLUMNS.some((name) => name === column)
  const candidates = columns.map((column) => {
    const choice = chosen?.get(column)
    if (choice) return { field: choice, distance: 0 }
    return choice === null || isReject(column) ? undefined : fieldNamed(target.type.name, target.fields, column)
  })
  const nearest = new Map<string, number>()
  for (const one of candidates) if (one) nearest.set(one.field.name, Math.min(one.distance, nearest.get(one.field.name) ?? one.distance))

  const mapped = columns.map((column, i): MappedColumn => {
    const candidate = candidates[i]
    if (chosen?.get(column) === null) return { column, leftOut: 'chosen' }
    if (candidate?.field.name === 'OwnerID' && column === absentOwner) return { column, leftOut: 'no owner' }
    if (candidate && candidate.distance === nearest.get(candidate.field.name)) return { column, field: candidate.field }
    if (candidate) return { column, leftOut: candidate.field.name === 'OwnerID' ? 'second owner' : 'taken' }
    if (isReject(column)) return { column, leftOut: 'rejects' }
    const several = fieldsLabelled(target.fields, column).map(({ name }) => name)
    if (several.length > 1) return { column, leftOut: ignoreUnknown ? 'chosen' : 'unknown', several }
    if (target.known.some(({ name, label }) => bare(name) === bare(column) || bare(label) === bare(column))) return { column, leftOut: 'generated' }
    const field = custom?.fieldFor(column)
    if (field) return { column, field }
    return { column, leftOut: ignoreUnknown ? 'chosen' : 'unknown' }
  })

  const byColumn = new Map(mapped.map((one) => [one.column, one]))
  const byField = new Map<string, string[]>()
  for (const { column, field } of mapped) if (field) byField.set(field.name, [...(byField.get(field.name) ?? []), column])
  return {
    columns: mapped,
    missing: target.fields.filter(({ name, required }) => required && !byField.has(name)),
    conflicts: mapped.flatMap(({ column, field }) => {
      const rivals = byField.get(field?.name ?? '') ?? []
      return field && rivals.length > 1 && rivals[0] === column ? [{ field, columns: rivals }] : []
    }),
    of(column) {
      const known = byColumn.get(column)
      if (known) return known
      const later = mapColumns(target, [...columns, column], how).columns.at(-1) as MappedColumn
      const one: MappedColumn = later.field && byField.has(later.field.name) ? { column, leftOut: 'taken' } : later
      byColumn.set(column, one)
      return one
    },
  }
}
