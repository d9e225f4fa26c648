import { type FileRow, type HowWritten, type PlannedRow, type RejectedRow, type RowKeys, readCell, Unreadable } from 'crm-connector/files'
import { type Choices, slotFor } from './mapping.ts'
import type { Destination, Slot } from './slots.ts'

interface Planning {
  readonly destination: Destination
  readonly choices: Choices
  readonly written: HowWritten
  readonly keys: RowKeys
}

interface Place {
  readonly slot: Slot
  readonly index: number
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A record as JSON has it, with its user-defined values beside its own. */
export function flattened(row: FileRow): FileRow {
  const values = row.cells[row.names.indexOf('Values')]
  if (!isObject(values)) return row
  const own = row.names.flatMap((name, i) => (name === 'Values' || name === 'Fields' ? [] : [[name, row.cells[i]] as const]))
  const all = [...own, ...Object.entries(values)]
  return { ...row, names: all.map(([name]) => name), cells: all.map(([, cell]) => cell) }
}

/** Turns rows into calls, or says what is wrong with them. Values are read by their fields; what they may be, the service knows. */
export function createPlanner({ destination, choices, written, keys }: Planning): (row: FileRow) => PlannedRow | RejectedRow {
  const order = new Map(destination.slots.map(({ name }, i) => [name, i]))
  const rank = ({ slot }: Place) => order.get(slot.name) ?? order.size
  let last: { readonly names: readonly string[]; readonly places: readonly Place[] } = { names: [], places: [] }

  /** Where the cells of a row go, in the order of the fields, so that the order of the columns does not matter. */
  function placesOf(names: readonly string[]): readonly Place[] {
    if (names === last.names || (names.length === last.names.length && names.every((name, i) => name === last.names[i]))) return last.places
    const places = names.flatMap((name, index): Place[] => {
      const slot = slotFor(destination, name, choices.get(name))
      return slot ? [{ slot, index }] : []
    })
    last = { names, places: places.sort((a, b) => rank(a) - rank(b) || (a.slot.name < b.slot.name ? -1 : 1)) }
    return last.places
  }

  return (given) => {
    if (given.fault !== undefined) return { row: given, error: given.fault }
    const row = destination.objectName === undefined ? given : flattened(given)
    const steps = { create: {}, update: {}, attach: {} } as Record<Slot['step'], Record<string, unknown>>
    const drafts: Record<string, unknown> = {}
    const faults: string[] = []
    for (const { slot, index } of placesOf(row.names)) {
      const value = readCell(slot.kind, row.cells[index], written)
      if (value === undefined) continue
      if (value instanceof Unreadable) faults.push(`${slot.name} is ${JSON.stringify(row.cells[index])}. Expected: ${value.expected}.`)
      else if (slot.own) drafts[slot.name] = { ...(slot.own.isNew && { Type: slot.own.type, Label: slot.label }), Value: value }
      else steps[slot.step][slot.name] = value
    }
    if (faults.length > 0) return { row: given, error: faults.join(' ') }
    const input = destination.objectName === undefined ? steps.create : { ...steps.create, ObjectName: destination.objectName, Fields: drafts }
    const text = JSON.stringify(input)
    return {
      row: given,
      input,
      key: keys.keyOf(destination.create.id, text),
      changes: Object.keys(steps.update).length > 0 ? steps.update : undefined,
      attached: Object.keys(steps.attach).length > 0 ? steps.attach : undefined,
      size: text.length,
    }
  }
}
