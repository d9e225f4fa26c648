import type { RecordType } from '../../contract/record.ts'
import type { Condition } from '../../platforms/platform.ts'
import { idOf } from '../call/records.ts'
import type { Watched } from './watched.ts'

/** Records that are looked up at once. */
const SLICE = 200

/** How often a slice is divided at most: many records may have been created in the same moment. */
const MOST_HALVES = 40

/**
 * The ids of records that only one of account and mirror has, for a CRM that tells of no deletes. The number of records is compared: a search for the count costs one
 * request. Where it differs, the time of creation is halved until few records are left. What searches may not know yet is left to a later round.
 */
export const differingIds = (watched: Watched, type: RecordType): Promise<string[]> =>
  differingIn(watched, type, { to: watched.feed.now() - watched.feed.lagMs }, MOST_HALVES)

/** A span of time in which records were created; without a beginning, all before its end. */
interface Slice {
  readonly from?: number
  readonly to: number
}

async function differingIn(watched: Watched, type: RecordType, slice: Slice, halves: number): Promise<string[]> {
  const where = createdIn(type, slice)
  const [theirs, ours] = await Promise.all([watched.records.count(type.name, where), watched.mirror.count(type.name, where)])
  if (theirs === ours) return []
  if (Math.max(theirs, ours) <= SLICE || halves === 0) return idsIn(watched, type, where)
  const middle = slice.from === undefined ? await firstCreated(watched, type) : Math.floor((slice.from + slice.to) / 2)
  if (middle === undefined || middle === slice.from || middle >= slice.to) return idsIn(watched, type, where)
  const older = await differingIn(watched, type, { ...slice, to: middle }, halves - 1)
  return [...older, ...(await differingIn(watched, type, { from: middle, to: slice.to }, halves - 1))]
}

async function firstCreated({ mirror }: Watched, { name, createdField }: RecordType): Promise<number | undefined> {
  const { records } = await mirror.find(name, { where: [], order: { field: createdField, descending: false }, limit: 1, fields: [createdField] })
  return records[0] && Date.parse(records[0][createdField] as string)
}

const createdIn = ({ createdField: field }: RecordType, { from, to }: Slice): Condition[] => [
  ...(from === undefined ? [] : [{ field, family: 'timestamp', operator: 'gte', value: new Date(from).toISOString() } as const]),
  { field, family: 'timestamp', operator: 'lt', value: new Date(to).toISOString() },
]

async function idsIn({ mirror, records }: Watched, type: RecordType, where: readonly Condition[]): Promise<string[]> {
  const order = { field: type.createdField, descending: false }
  const ids = new Set<string>()
  for (const reader of [mirror, records]) {
    let after: { readonly value: string; readonly id: string } | undefined
    for (;;) {
      const page = await reader.find(type.name, { where, order, limit: SLICE, fields: [], ...(after && { after }) })
      for (const record of page.records) {
        const id = idOf(type, record)
        if (reader === records && ids.has(id)) ids.delete(id)
        else ids.add(id)
      }
      const last = page.records.at(-1)
      if (!page.more || !last) break
      after = { value: last[type.createdField] as string, id: idOf(type, last) }
    }
  }
  return [...ids]
}
