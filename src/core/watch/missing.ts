import type { RecordType } from '../../contract/record.ts'
import type { Condition, Reader } from '../../platforms/platform.ts'
import { idOf } from '../call/records.ts'
import { searchableUntil, type Watched } from './watched.ts'

/** Records that are looked up at once. */
const SLICE = 200

/** How often a slice is divided at most: many records may have been created in the same moment. */
const MOST_HALVES = 40

/** A span of time, in milliseconds by the account's clock; without a beginning, all before its end. */
interface Span {
  readonly from?: number
  readonly to: number
}

/** Records by when they were created. */
export interface Side {
  count(where: readonly Condition[]): Promise<number>
  ids(where: readonly Condition[]): Promise<readonly string[]>
}

/** The ids of records that only one of account and mirror has, for a CRM that tells of no deletes. What searches may not know yet is left to a later poll. */
export function differingIds({ feed, records, mirror }: Watched, type: RecordType): Promise<string[]> {
  return differing(type, sideOf(records, type), sideOf(mirror, type), { to: searchableUntil(feed) }, () => firstCreated(mirror, type))
}

/**
 * The ids that only one of two sides has. The number of records is compared: a search for the count costs one request. Where it differs, the time of creation is halved until
 * few records are left.
 */
export async function differing(
  type: RecordType,
  theirs: Side,
  ours: Side,
  span: Span,
  first: () => Promise<number | undefined>,
  halves: number = MOST_HALVES,
): Promise<string[]> {
  const where = createdIn(type, span)
  const [one, other] = await Promise.all([theirs.count(where), ours.count(where)])
  if (one === other) return []
  const middle = span.from === undefined ? await first() : Math.floor((span.from + span.to) / 2)
  const isDivided = Math.max(one, other) > SLICE && halves > 0 && middle !== undefined && middle !== span.from && middle < span.to
  if (!isDivided) {
    const ids = new Set(await ours.ids(where))
    for (const id of await theirs.ids(where)) if (!ids.delete(id)) ids.add(id)
    return [...ids]
  }
  const older = await differing(type, theirs, ours, { ...span, to: middle }, first, halves - 1)
  return [...older, ...(await differing(type, theirs, ours, { from: middle, to: span.to }, first, halves - 1))]
}

const sideOf = (reader: Pick<Reader, 'count' | 'find'>, type: RecordType): Side => ({
  count: (where) => reader.count(type.name, where),
  async ids(where) {
    const order = { field: type.createdField, descending: false }
    const ids: string[] = []
    let after: { readonly value: string; readonly id: string } | undefined
    for (;;) {
      const { records, more } = await reader.find(type.name, { where, order, limit: SLICE, fields: [], ...(after && { after }) })
      ids.push(...records.map((record) => idOf(type, record)))
      const last = records.at(-1)
      if (!more || !last) return ids
      after = { value: last[type.createdField] as string, id: idOf(type, last) }
    }
  },
})

export async function firstCreated(mirror: Pick<Reader, 'find'>, { name, createdField }: RecordType): Promise<number | undefined> {
  const { records } = await mirror.find(name, { where: [], order: { field: createdField, descending: false }, limit: 1, fields: [createdField] })
  return records[0] && Date.parse(records[0][createdField] as string)
}

const createdIn = ({ createdField: field }: RecordType, { from, to }: Span): Condition[] => [
  ...(from === undefined ? [] : [{ field, family: 'timestamp', operator: 'gte', value: new Date(from).toISOString() } as const]),
  { field, family: 'timestamp', operator: 'lt', value: new Date(to).toISOString() },
]
