import type { Condition, Reader, Where } from '../../platforms/platform.ts'

const DAY_MS = 86_400_000
/** The days between two groups. */
const AGES = [1, 7, 30, 90]

/** How many of the open records were created within each of these ages, the newest first. The oldest are those that are left. */
export async function countByAge(reader: Reader, type: string, where: readonly Where[], open: number, today: Date) {
  const limits = AGES.map((age) => new Date(today.getTime() - age * DAY_MS).toISOString())
  const spans = [...limits, null].map((From, nth) => ({ From, To: limits[nth - 1] ?? null }))
  const counts = await Promise.all(spans.slice(0, -1).map(({ From, To }) => reader.count(type, [...where, ...created('gte', From), ...created('lt', To)])))
  const rest = open - counts.reduce((sum, count) => sum + count, 0)
  return spans.map((span, nth) => ({ ...span, Count: counts[nth] ?? Math.max(0, rest) }))
}

const created = (operator: 'gte' | 'lt', value: string | null): Condition[] =>
  value === null ? [] : [{ field: 'CreatedDate', family: 'timestamp', operator, value }]
