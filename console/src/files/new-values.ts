import type { Findings } from 'crm-connector/files'

type Values = Findings['newValues']

const idsOf = (found: Values) => found.flatMap(({ field, values }) => values.map((value) => JSON.stringify([field, value])))

/** Whether all new values may be imported. One that was allowed stays so in every further check of the file. */
export const areAllowed = (found: Values, allowed: ReadonlySet<string>): boolean => idsOf(found).every((id) => allowed.has(id))

export function withAllowed(allowed: ReadonlySet<string>, found: Values, isAllowed: boolean): ReadonlySet<string> {
  const ids = idsOf(found)
  return new Set(isAllowed ? [...allowed, ...ids] : [...allowed].filter((id) => !ids.includes(id)))
}
