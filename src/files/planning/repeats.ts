import { type ImportPlan, matchChoices } from './import-plan.ts'
import { NumberSet, numberOf } from './number-set.ts'
import type { PlannedRow } from './planned-row.ts'
import type { Digest } from './row-keys.ts'

/** The fields whose values tell records apart: those that rows are matched by, or else an external id or an e-mail address. */
export function tellingFields(plan: ImportPlan): readonly string[] {
  const [best] = matchChoices(plan)
  return plan.matchBy ?? (best && (best.unique || best.kind === 'email') ? [best.name] : [])
}

/** The rows that can be imported, by the fields that tell records apart. */
export interface Repeats {
  /** Rows that have the same values in these fields as an earlier one. */
  readonly count: number
  /** Takes a row, and says whether it is such a row. */
  add(row: PlannedRow): boolean
  has(row: PlannedRow): boolean
}

/** Counts rows that are about the same record as an earlier one, also of those that were taken `before`. Rows that update records match as upserts do. */
export function repeatCounter(plan: ImportPlan, digest: Digest, before?: Repeats): Repeats {
  const fields = tellingFields(plan)
  const isEmail = new Set(plan.target.fields.flatMap(({ name, kind }) => (kind === 'email' ? [name] : [])))
  const seen = new NumberSet()
  let count = before?.count ?? 0

  /** A row as it is compared with earlier ones: as it is written, and with its addresses in lower case. */
  function spellings({ input }: PlannedRow): readonly number[] {
    const values = fields.map((name) => textOf(input, name))
    if (values.length === 0 || values.some((value) => value === '')) return []
    const lower = values.map((value, i) => (!plan.matchBy || isEmail.has(fields[i] ?? '') ? value.toLowerCase() : value))
    const written = plan.matchBy ? values : lower
    return [written, lower].map((one) => numberOf(digest(JSON.stringify(one))))
  }
  const has = (row: PlannedRow) => spellings(row).some((one) => seen.has(one)) || before?.has(row) === true

  return {
    get count() {
      return count
    },
    add(row) {
      const [written] = spellings(row)
      if (written === undefined) return false
      const isRepeat = has(row)
      seen.add(written)
      if (isRepeat) count++
      return isRepeat
    },
    has,
  }
}

function textOf(input: PlannedRow['input'], name: string): string {
  const own = (input.Fields as { readonly [field: string]: { readonly Value?: unknown } } | undefined)?.[name]?.Value
  return String(input[name] ?? own ?? '')
}
