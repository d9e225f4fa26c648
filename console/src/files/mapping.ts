import { CUSTOM_TYPES, type CustomType } from 'crm-connector/contract'
import { bare, DATES, type FileRow, type Format, fieldFor, type HowWritten, NUMBERS, REJECT_COLUMNS } from 'crm-connector/files'
import { type Destination, newSlot, type Slot } from './slots.ts'

/** Where a column goes: to a field by its name, to a new field of a type (`+Number`), or nowhere (an empty text). */
export type Choices = ReadonlyMap<string, string>

/**
 * Every column that the first rows have. Where the first line of a file names them, a row that cannot be read is none the less under those names; elsewhere
 * it has none.
 */
export const columnsOf = (rows: readonly FileRow[], format: Format) => [
  ...new Set(rows.flatMap(({ names, fault }) => (fault === undefined || format === 'csv' ? names : []))),
]

/** Of a row that cannot be read nobody knows which cell is which. */
export const cellOf = ({ names, cells, fault }: FileRow, column: string): unknown => (fault === undefined ? cells[names.indexOf(column)] : undefined)

/** The field for each column by its name; the nearest column gets it where several mean the same. */
export function firstChoices(destination: Destination, columns: readonly string[], rows: readonly FileRow[]): Choices {
  const isRejects = REJECT_COLUMNS.every((name, i) => columns.at(i - REJECT_COLUMNS.length) === name)
  const claims = columns.map((column) => fieldFor(destination.name, destination.slots, column))
  const taken = new Set<string>()
  const nearest = (name: string) => Math.min(...claims.flatMap((claim) => (claim?.field.name === name ? [claim.distance] : [])))
  return new Map(
    columns.map((column, i) => {
      const claim = claims[i]
      if (isRejects && REJECT_COLUMNS.some((name) => name === column)) return [column, '']
      if (claim && claim.distance === nearest(claim.field.name) && !taken.has(claim.field.name)) {
        taken.add(claim.field.name)
        return [column, claim.field.name]
      }
      const isGiven = destination.given.some((name) => bare(name) === bare(column))
      const isOwn = destination.objectName !== undefined && !claim && !isGiven && newSlot(column, 'String') !== undefined
      return [column, isOwn ? `+${lookOf(rows.map((row) => cellOf(row, column)))}` : '']
    }),
  )
}

/** The field that was chosen for a column. */
export function slotFor({ slots }: Destination, column: string, choice: string | undefined): Slot | undefined {
  if (!choice) return undefined
  return choice.startsWith('+') ? newSlot(column, choice.slice(1) as CustomType) : slots.find(({ name }) => name === choice)
}

/** What stands in the way of an import, in sentences. */
export function obstacles(destination: Destination, columns: readonly string[], choices: Choices): string[] {
  const chosen = columns.flatMap((column) => slotFor(destination, column, choices.get(column))?.name ?? [])
  const twice = [...new Set(chosen.filter((name, i) => chosen.indexOf(name) < i))]
  const missing = destination.slots.filter(({ name, required }) => required && !chosen.includes(name))
  return [
    ...missing.map(({ label }) => `Every record needs ${label}: choose the column that has it.`),
    ...twice.map((name) => `Two columns go to ${name}: choose one of them.`),
    ...(chosen.length === 0 && missing.length === 0 ? ['No column goes anywhere yet.'] : []),
  ]
}

const LOOKS: { readonly [T in Exclude<CustomType, 'String'>]: (cell: unknown) => boolean } = {
  // A zero in front, or anything else that a number would lose, is a text's.
  Number: (cell) => typeof cell === 'number' || (typeof cell === 'string' && String(Number(cell)) === cell && Number.isFinite(Number(cell))),
  Boolean: (cell) => typeof cell === 'boolean' || cell === 'true' || cell === 'false',
  Date: (cell) => typeof cell === 'string' && /^\d{4}-\d\d-\d\d$/.test(cell),
  DateTime: (cell) => typeof cell === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:?\d\d)$/.test(cell),
}

export const NEW_TYPES = Object.keys(CUSTOM_TYPES) as CustomType[]

function lookOf(cells: readonly unknown[]): CustomType {
  const there = cells.filter((cell) => cell !== undefined && cell !== null && cell !== '')
  const [look = 'String'] = Object.entries(LOOKS).find(([, looks]) => there.length > 0 && there.every(looks)) ?? []
  return look as CustomType
}

/** How numbers and dates are written: the first way that reads all there are in the first rows. */
export function firstWays(destination: Destination, choices: Choices, rows: readonly FileRow[]): Pick<HowWritten, 'numbers' | 'dates'> {
  const cellsOf = (...kinds: readonly string[]) =>
    [...choices].flatMap(([column, choice]) =>
      kinds.includes(slotFor(destination, column, choice)?.kind ?? '')
        ? rows.map((row) => cellOf(row, column)).filter((cell): cell is string => typeof cell === 'string' && cell.trim() !== '')
        : [],
    )
  const fits = <W extends string>(ways: { readonly [way in W]: { readonly pattern: RegExp } }, cells: readonly string[]) =>
    (Object.keys(ways) as W[]).find((way) => cells.every((cell) => ways[way].pattern.test(cell.trim())))
  return { numbers: fits(NUMBERS, cellsOf('number', 'integer', 'money')) ?? '1234.5', dates: fits(DATES, cellsOf('date')) ?? '2026-12-31' }
}
