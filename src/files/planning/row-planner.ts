import type { Fault } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { quote } from '../../contract/operations.ts'
import { CUSTOM_TYPES } from '../../contract/records/custom-object.ts'
import { type OtherFormat, readCell, readJson, Unreadable } from '../mapping/cell-value.ts'
import { type FlatRow, flattened } from '../mapping/custom-fields.ts'
import type { Step, TargetField } from '../mapping/import-target.ts'
import type { FileRow } from '../reading/rows.ts'
import type { ImportPlan } from './import-plan.ts'
import { type PlannedRow, type RejectedRow, type RowFault, rejectedRow } from './planned-row.ts'
import type { RowKeys } from './row-keys.ts'

export interface HowToPlan {
  readonly keys: RowKeys
  /** Checks an input before anything is sent; without it only the service does. */
  readonly check?: (operation: Operation, input: object) => readonly Fault[]
  /** How to choose the format that would read a value. */
  readonly formatHint?: (format: OtherFormat) => string
}

interface Place {
  readonly field: TargetField
  readonly index: number
}

/** Turns rows into calls, or rejects them. The input of a row, and so its key, depends on its values only, not on the order of its columns. */
export function createPlanner(plan: ImportPlan, { keys, check = () => [], formatHint }: HowToPlan): (row: FileRow) => PlannedRow | RejectedRow {
  const { target, mapping, custom, formats } = plan
  const { type, create, update, attach, allowedValues } = target
  const order = new Map(target.fields.map(({ name }, i) => [name, i]))
  const inSample = new Set(mapping.columns.map(({ column }) => column))
  // Custom fields come last, by name: their order must not depend on which of them are defined already.
  const rank = ({ field }: Place) => order.get(field.name) ?? order.size
  let last: { readonly names: readonly string[]; readonly places: readonly Place[] } = { names: [], places: [] }

  function placesOf(names: readonly string[]): readonly Place[] {
    if (names === last.names || (names.length === last.names.length && names.every((name, i) => name === last.names[i]))) return last.places
    const places = names.flatMap((name, index) => {
      const { field } = mapping.of(name)
      return field ? [{ field, index }] : []
    })
    last = { names, places: places.sort((a, b) => rank(a) - rank(b) || (a.field.name < b.field.name ? -1 : 1)) }
    return last.places
  }

  return (given) => {
    if (given.fault !== undefined) return rejectedRow(given, [{ message: given.fault }])
    const row: FlatRow = type.userDefined ? flattened(given) : given
    const unmapped = row.names.filter((name, i) => !inSample.has(name) && isWithoutField(mapping.of(name).leftOut) && isValue(row.cells[i]))
    if (unmapped.length > 0) return rejectedRow(given, [{ message: `${unmapped.map(quote).join(', ')} was not there in the first rows, and fits no field.` }])

    const values: Record<Step, Record<string, unknown>> = { create: {}, update: {}, attach: {} }
    const customValues: Record<string, unknown> = Object.create(null)
    const wrong: RowFault[] = []
    let { object } = plan
    for (const { field, index } of placesOf(row.names)) {
      const cell = row.cells[index]
      if (!isValue(cell) || (field.unique && cell === '')) continue
      const definition = field.isCustom ? custom?.definitionOf(object ?? '', field, row) : undefined
      const value = isJson(field) ? readJson(cell) : readCell(definition ? CUSTOM_TYPES[definition.Type] : field.kind, cell, formats)
      if (value === undefined) continue
      if (value instanceof Unreadable) {
        const hint = value.otherFormat && formatHint ? `; ${formatHint(value.otherFormat)}` : ''
        wrong.push({ field: field.name, message: `${field.name} is ${quote(String(cell))}. Expected: ${value.expected}${hint}.` })
      } else if (definition) customValues[field.name] = { Type: definition.Type, Label: definition.Label, Value: value }
      else {
        values[field.step][field.name] = value
        if (field.name === 'ObjectName') object = String(value)
      }
    }
    const own = type.userDefined ? { ...(object !== undefined && { ObjectName: object }), ...values.create, Fields: customValues } : values.create
    const input = plan.matchBy ? { ...own, MatchBy: plan.matchBy } : own
    const [changes, attached] = [members(values.update), members(values.attach)]
    const faults = [
      ...check(create, input),
      ...(changes && update ? check(update, { [type.id]: 'new', FieldsToUpdate: changes }) : []),
      ...(attached && attach ? check(attach, { [type.id]: 'new', ...attached }) : []),
    ]
    wrong.push(...faults.map((fault) => ({ field: fault.field, message: faultText(fault) })), ...refusedValues({ ...values.create, ...changes }, allowedValues))
    if (wrong.length > 0) return rejectedRow(given, wrong)
    const text = JSON.stringify(input)
    return { row: given, input, key: keys.keyOf(create.id, text), changes, attached, size: text.length }
  }
}

const isValue = (cell: unknown) => cell !== undefined && cell !== null

const isWithoutField = (leftOut: string | undefined) => leftOut === 'unknown' || leftOut === 'taken'

const members = (values: Record<string, unknown>) => (Object.keys(values).length > 0 ? values : undefined)

function faultText({ message, expected, didYouMean }: Fault): string {
  return [message, expected && `Expected: ${expected}.`, didYouMean && `Did you mean ${didYouMean}?`].filter(Boolean).join(' ')
}

function refusedValues(values: { readonly [name: string]: unknown }, allowedValues: ReadonlyMap<string, readonly string[]>): RowFault[] {
  return [...allowedValues].flatMap(([name, allowed]) => {
    const value = values[name]
    const refused = [value].flat().filter((one) => typeof one === 'string' && !allowed.includes(one))
    // A single value may be several with something else between them.
    const separator = Array.isArray(value) && value.length === 1 ? ' Several values are separated by “;”.' : ''
    return refused.map((one) => ({ field: name, message: `${name} is ${quote(one as string)}. Expected: ${allowed.join(', ')}.${separator}` }))
  })
}

/** Whether a field holds any JSON. The values of custom objects are read by their definitions. */
const isJson = ({ kind, isCustom }: TargetField) => kind === 'json' && !isCustom
