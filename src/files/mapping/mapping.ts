import { CrmError, type Fault } from '../../contract/errors.ts'
import { nearest } from '../../contract/names.ts'
import { quote } from '../../contract/operations.ts'
import { bare, fieldFor } from './column-names.ts'
import { REJECT_COLUMNS } from '../reading/rows.ts'
import type { Destination, Slot } from './import-target.ts'

/** Where a column goes, or why it goes nowhere. */
export interface MappedColumn {
  readonly column: string
  readonly slot?: Slot
  readonly left?: keyof typeof LEFT
}

/** Why a column is left out, in words. */
export const LEFT = {
  ignored: 'left out, as you said',
  rejects: 'left out: it tells of an earlier import',
  given: 'left out: a new record gets its own',
  nobody: 'left out: nobody it names is here, and the records become yours',
  taken: 'left out: another column fits its field better',
  unknown: 'fits no field',
} as const

export interface Mapping {
  readonly columns: readonly MappedColumn[]
  /** Fields that every record needs and no column has. */
  readonly missing: readonly Slot[]
  /** A column by its name, also one that only turns up later. */
  of(column: string): MappedColumn
}

export interface HowToMap {
  /** Field by column, as a person said it. */
  readonly map: ReadonlyMap<string, string>
  /** Columns to leave out; `*` for all that fit no field. */
  readonly ignore: readonly string[]
  /** A field of the user's own for a column that nothing else fits. */
  readonly own?: (column: string) => Slot | undefined
}

/** Finds the field for each column: as it was said, or by its name or label however that is written. */
export function mapColumns(destination: Destination, columns: readonly string[], how: HowToMap): Mapping {
  const { said, ignored } = readSaid(destination, columns, how)
  const isRejects = REJECT_COLUMNS.every((name, i) => columns.at(i - REJECT_COLUMNS.length) === name)
  const claims = columns.map((column) => (ignored.has(column) ? undefined : claimOf(destination, column, said.get(column))))
  const best = new Map<string, number>()
  for (const claim of claims) if (claim) best.set(claim.slot.name, Math.min(claim.distance, best.get(claim.slot.name) ?? claim.distance))

  const mapped = columns.map((column, i): MappedColumn => {
    const claim = claims[i]
    if (claim && claim.distance === best.get(claim.slot.name)) return { column, slot: claim.slot }
    if (ignored.has(column)) return { column, left: 'ignored' }
    if (isRejects && REJECT_COLUMNS.some((name) => name === column)) return { column, left: 'rejects' }
    if (claim) return { column, left: 'taken' }
    if (isGiven(destination, column)) return { column, left: 'given' }
    const own = how.own?.(column)
    if (own) return { column, slot: own }
    return { column, left: how.ignore.some((names) => names.split(',').includes('*')) ? 'ignored' : 'unknown' }
  })
  refuseTwice(mapped)

  const byName = new Map(mapped.map((one) => [one.column, one]))
  const filled = new Set(mapped.flatMap(({ slot }) => (slot ? [slot.name] : [])))
  return {
    columns: mapped,
    missing: destination.slots.filter(({ name, required }) => required && !filled.has(name)),
    of(column) {
      let one = byName.get(column)
      if (!one) {
        one = mapColumns(destination, [...columns, column], how).columns.at(-1) as MappedColumn
        byName.set(column, one)
      }
      return one
    },
  }
}

/** The field that a column goes to; nothing is nearer than what was said. */
function claimOf({ type, slots }: Destination, column: string, said: Slot | undefined): { readonly slot: Slot; readonly distance: number } | undefined {
  if (said) return { slot: said, distance: 0 }
  const found = fieldFor(type.name, slots, column)
  return found && { slot: found.field, distance: found.distance }
}

/** Whether a column holds a field of the record that an import cannot set: only the CRM itself can, or nothing can after birth. */
const isGiven = ({ type }: Destination, column: string) =>
  Object.entries(type.fields).some(([name, { access, label }]) => access !== 'secret' && (bare(name) === bare(column) || bare(label) === bare(column)))

/** The fields that were said, each for its column, and the columns that are to be left out. */
function readSaid({ slots, type }: Destination, columns: readonly string[], { map, ignore, own }: HowToMap) {
  const faults: Fault[] = []
  const said = new Map<string, Slot>()
  const ignored = new Set<string | undefined>()
  const column = (name: string, flag: string) => {
    const found = columns.find((one) => one === name) ?? columns.find((one) => bare(one) === bare(name))
    if (found === undefined) faults.push(unknown(flag, name, columns, 'column'))
    return found
  }
  for (const [from, to] of map) {
    const found = column(from, '--map')
    const slot = slots.find(({ name }) => bare(name) === bare(to)) ?? own?.(to)
    if (!slot)
      faults.push(
        unknown(
          '--map',
          to,
          slots.map(({ name }) => name),
          `field of ${type.name} to import to`,
        ),
      )
    else if (found !== undefined) said.set(found, slot)
  }
  const left = ignore.flatMap((names) => (columns.includes(names) ? [names] : names.split(',').map((name) => name.trim())))
  for (const name of left) if (name !== '*') ignored.add(column(name, '--ignore'))
  if (faults.length > 0) throw new CrmError('invalid_input', `The columns were not said right: ${faults[0]?.message}`, { errors: faults })
  return { said, ignored }
}

function unknown(field: string, name: string, known: readonly string[], what: string): Fault {
  const [near] = nearest(name, known)
  const expected = known.slice(0, 30).join(', ')
  return { field, code: 'unknown', message: `There is no ${what} called ${quote(name)}.`, expected, ...(near !== undefined && { didYouMean: near }) }
}

function refuseTwice(mapped: readonly MappedColumn[]): void {
  const by = new Map<string, string[]>()
  for (const { column, slot } of mapped) if (slot) by.set(slot.name, [...(by.get(slot.name) ?? []), column])
  const twice = [...by].filter(([, columns]) => columns.length > 1)
  const [[field, columns] = ['', []]] = twice
  if (twice.length > 0)
    throw new CrmError('invalid_input', `The columns ${columns.map(quote).join(' and ')} both fit ${field}.`, {
      hint: `Say which to leave out: --ignore ${quote(columns.at(-1) ?? '')}`,
    })
}
