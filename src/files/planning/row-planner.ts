import type { Fault } from '../../contract/errors.ts'
import { quote } from '../../contract/operations.ts'
import { CUSTOM_TYPES } from '../../contract/records/custom-object.ts'
import { faultsOf } from '../../core/call/schemas.ts'
import { type HowWritten, readCell, Unreadable } from '../mapping/cell-value.ts'
import type { PlannedRow } from './planned-row.ts'
import type { RejectedRow } from '../sending/reject-text.ts'
import type { RowKeys } from './row-keys.ts'
import type { FileRow } from '../reading/rows.ts'
import type { Destination, Slot } from '../mapping/import-target.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { type OwnFields, type Unfolded, unfolded } from '../mapping/custom-fields.ts'

export interface Planning {
  readonly destination: Destination
  readonly mapping: Mapping
  readonly written: HowWritten
  readonly keys: RowKeys
  /** The object that rows are of, where they do not say so themselves. */
  readonly object: string | undefined
  readonly own: OwnFields | undefined
  /** The only values that some fields take, where the workspace has closed them. */
  readonly closed: ReadonlyMap<string, readonly string[]>
}

interface Place {
  readonly slot: Slot
  readonly index: number
}

/** Turns rows into calls, or says what is wrong with them. */
export function createPlanner(planning: Planning): (row: FileRow) => PlannedRow | RejectedRow {
  const { destination, mapping, written, keys, own, closed } = planning
  const { type, create, update, attach } = destination
  const order = new Map(destination.slots.map(({ name }, i) => [name, i]))
  const shown = new Set(mapping.columns.map(({ column }) => column))
  const rank = ({ slot }: Place) => order.get(slot.name) ?? order.size
  let last: { readonly names: readonly string[]; readonly places: readonly Place[] } = { names: [], places: [] }

  /** Where the cells of a row go, in the order of the contract, so that the order of the columns does not matter. */
  function placesOf(names: readonly string[]): readonly Place[] {
    const isSame = names === last.names || (names.length === last.names.length && names.every((name, i) => name === last.names[i]))
    if (isSame) return last.places
    const places = names.flatMap((name, index) => {
      const { slot } = mapping.of(name)
      return slot ? [{ slot, index }] : []
    })
    last = { names, places: places.sort((a, b) => rank(a) - rank(b) || (a.slot.name < b.slot.name ? -1 : 1)) }
    return last.places
  }

  return (given) => {
    if (given.fault !== undefined) return { row: given, error: given.fault }
    const row: Unfolded = type.userDefined ? unfolded(given) : given
    const strangers = row.names.filter((name, i) => !shown.has(name) && mapping.of(name).left === 'unknown' && isThere(row.cells[i]))
    if (strangers.length > 0) return { row: given, error: `${strangers.map(quote).join(', ')} was not there in the first rows, and fits no field.` }

    const steps = { create: {}, update: {}, attach: {} } as Record<Slot['step'], Record<string, unknown>>
    const faults: string[] = []
    const drafts: Record<string, unknown> = Object.create(null)
    let object = planning.object
    for (const { slot, index } of placesOf(row.names)) {
      const cell = row.cells[index]
      if (!isThere(cell)) continue
      const definition = slot.isOwn ? own?.definitionOf(object ?? '', slot, row.declared) : undefined
      const value = readCell(definition ? CUSTOM_TYPES[definition.Type] : slot.kind, cell, written)
      if (value === undefined) continue
      if (value instanceof Unreadable) faults.push(`${slot.name} is ${quote(String(cell))}. Expected: ${value.expected}${otherwise(value)}.`)
      else if (definition) drafts[slot.name] = { Type: definition.Type, Label: definition.Label, Value: value }
      else {
        steps[slot.step][slot.name] = value
        if (slot.name === 'ObjectName') object = String(value)
      }
    }
    const input = type.userDefined ? { ...steps.create, ...(object !== undefined && { ObjectName: object }), Fields: drafts } : steps.create
    const changes = Object.keys(steps.update).length > 0 ? steps.update : undefined
    const attached = Object.keys(steps.attach).length > 0 ? steps.attach : undefined
    const wrong = [
      ...faultsOf(create.input, input),
      ...(changes && update ? faultsOf(update.input, { [type.id]: 'new', FieldsToUpdate: changes }) : []),
      ...(attached && attach ? faultsOf(attach.input, { [type.id]: 'new', ...attached }) : []),
    ]
    faults.push(...wrong.map(faultText), ...closedFaults({ ...steps.create, ...changes }, closed))
    if (faults.length > 0) return { row: given, error: faults.join(' ') }
    const text = JSON.stringify(input)
    return { row: given, input, key: keys.keyOf(create.id, text), changes, attached, size: text.length }
  }
}

/** What would read it. */
const otherwise = ({ way }: Unreadable) => (way ? `; --${way.setting} ${way.example} reads it` : '')

const isThere = (cell: unknown) => cell !== undefined && cell !== null

function faultText({ message, expected, didYouMean }: Fault): string {
  return [message, expected && `Expected: ${expected}.`, didYouMean && `Did you mean ${didYouMean}?`].filter(Boolean).join(' ')
}

function closedFaults(values: { readonly [name: string]: unknown }, closed: Planning['closed']): string[] {
  return [...closed].flatMap(([name, allowed]) =>
    typeof values[name] === 'string' && !allowed.includes(values[name]) ? [`${name} is ${quote(values[name])}. Expected: ${allowed.join(', ')}.`] : [],
  )
}
