import { columnOf, type ImportPlan } from '../planning/import-plan.ts'
import { type RejectedRow, rejectedRow } from '../planning/planned-row.ts'
import { type FileRow, withCell } from '../reading/rows.ts'

/** A row passes so many checks, each of which rejects it with what that check finds: its values, what is set later, its owner, the record itself. */
const CHECKS = 4

/**
 * The rows with everything that is wrong with them: each is checked again without its faulty values, until nothing further is found. A row that cannot be
 * read, or whose faulty value decides which record it is about, is left as it is.
 */
export async function withAllFaults(
  plan: ImportPlan,
  rejected: readonly RejectedRow[],
  check: (rows: readonly FileRow[]) => Promise<readonly RejectedRow[]>,
): Promise<readonly RejectedRow[]> {
  const found = new Map(rejected.map((one) => [one.row.line, one]))
  let open = rejected
  for (let nth = 1; nth < CHECKS && open.length > 0; nth++) {
    const some = open.flatMap((one) => withoutFaulty(plan, one) ?? [])
    const further = some.length === 0 ? [] : await check(some)
    open = further.flatMap(({ row, faults }) => {
      const before = found.get(row.line)
      if (!before) return []
      const known = new Set(before.faults.map((fault) => columnOf(plan, fault)))
      const added = faults.filter((fault) => !known.has(columnOf(plan, fault)))
      if (added.length === 0) return []
      const all = rejectedRow(before.row, [...before.faults, ...added])
      found.set(row.line, all)
      return [all]
    })
  }
  return [...found.values()]
}

/** Undefined where the row has no faulty value to be left out, or cannot be told apart without it. */
function withoutFaulty(plan: ImportPlan, { row, faults }: RejectedRow): FileRow | undefined {
  const matching = new Set(plan.mapping.columns.flatMap(({ column, field }) => (field && plan.matchBy?.includes(field.name) ? [column] : [])))
  const columns = [...new Set(faults.flatMap((fault) => columnOf(plan, fault) ?? []))].filter((column) => !isEmpty(row, column))
  if (row.fault !== undefined || columns.length === 0 || columns.some((column) => matching.has(column))) return undefined
  return columns.reduce((left, column) => withCell(left, column, undefined), row)
}

const isEmpty = ({ names, cells }: FileRow, column: string) => (cells[names.indexOf(column)] ?? '') === ''
