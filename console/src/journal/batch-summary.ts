import type { Crm } from 'crm-connector'
import { recordType } from 'crm-connector/contract'
import { numberText } from '../parts/values.tsx'
import { PHRASES, RECORD_PAGES, typeName } from './change-text.ts'

/** What the changes of a batch come to. */
export interface BatchSummary {
  readonly changes: number
  readonly refused: number
  /** Whether there are more than were counted. */
  readonly more: boolean
  /** How many records of which type had which event. */
  readonly groups: readonly { readonly verb: string; readonly recordType: string; readonly records: number }[]
  /** How many of them were undone. */
  readonly undone: number
}

const LIMIT = 1000
const MOST_PAGES = 20

export async function batchSummary(crm: Crm, BatchID: string, signal: AbortSignal): Promise<BatchSummary> {
  const records = new Map<string, Set<string | null>>()
  const ids: string[] = []
  let [refused, pages, cursor]: [number, number, string | null] = [0, 0, null]
  do {
    const page: Awaited<ReturnType<Crm['changes']['getMany']>> = await crm.changes.getMany(
      { Filters: { BatchID }, Select: ['EventType', 'RecordType', 'RecordID', 'Operation'], Limit: LIMIT, ...(cursor !== null && { Cursor: cursor }) },
      { signal },
    )
    for (const { ChangeID, EventType, RecordType, RecordID, Operation } of page.Records) {
      const verb = EventType?.split('.')[1]
      if (verb === undefined) refused++
      else {
        ids.push(ChangeID)
        const key = `${verb === 'created' && Operation === 'undo_change' ? 'restored' : verb} ${RecordType}`
        records.set(key, (records.get(key) ?? new Set()).add(RecordID))
      }
    }
    cursor = page.NextCursor
    pages++
  } while (cursor !== null && pages < MOST_PAGES)
  return {
    changes: ids.length,
    refused,
    more: cursor !== null,
    groups: [...records].map(([key, found]) => {
      const [verb = '', type = ''] = key.split(' ')
      return { verb, recordType: type, records: found.size }
    }),
    undone: await undoneOf(crm, ids, signal),
  }
}

/** The ids in one filter. */
const MOST_IDS = 100

/**
 * How many of these changes were undone. Of many, some are looked for, from the newest to the oldest; where one was undone with others, those are counted. Changes of
 * a large batch that were undone one by one may be more.
 */
async function undoneOf(crm: Crm, ids: readonly string[], signal: AbortSignal): Promise<number> {
  if (ids.length === 0) return 0
  const step = (ids.length - 1) / (MOST_IDS - 1)
  const some = ids.length <= MOST_IDS ? ids : Array.from({ length: MOST_IDS }, (_, i) => ids[Math.round(i * step)] as string)
  const { Records } = await crm.changes.getMany({ Filters: { Undoes: { in: some } }, Select: ['Undoes', 'BatchID'], Limit: LIMIT }, { signal })
  const undone = new Set(Records.map(({ Undoes }) => Undoes))
  const batches = some === ids ? [] : [...new Set(Records.flatMap(({ BatchID }) => BatchID ?? []))]
  for (const BatchID of batches)
    for await (const { Undoes } of crm.changes.all({ Filters: { BatchID }, Select: ['Undoes'], Limit: LIMIT }, { signal })) undone.add(Undoes)
  return ids.filter((id) => undone.has(id)).length
}

/** `changed 197 leads and deleted 3 leads`. */
export function batchText({ groups, changes, refused, more }: BatchSummary): string {
  if (more) return `made more than ${numberText(changes)} changes`
  if (changes === 0) return `tried ${numberText(refused)} calls`
  return LISTS.format(
    groups.map(({ verb, recordType: type, records }) => {
      const what = `${numberText(records)} ${records === 1 ? typeName(type, null) : pluralOf(type)}`
      return (verb === 'updated' ? 'changed *' : (PHRASES[verb] ?? `${verb.replaceAll('_', ' ')} *`)).replace('*', what)
    }),
  )
}

const LISTS = new Intl.ListFormat('en', { type: 'conjunction' })

const pluralOf = (type: string) => (type in RECORD_PAGES && type !== 'CustomObject' ? recordType(type).plural : `${typeName(type, null)}s`)

/** A few changes of different kinds, which the newest of them describes better than their counts. */
export const isSmallMix = ({ groups, changes, more }: BatchSummary): boolean => groups.length > 1 && changes <= FEW && !more

const FEW = 5

/** Whether this kind of batch can be undone. The service may still refuse, for instance if a record has changed since. */
export const canUndoBatch = ({ groups }: BatchSummary): boolean =>
  groups.length > 0 && groups.every(({ verb, recordType: type }) => type in RECORD_PAGES && verb !== 'erased')

export const hasVerb = ({ groups }: BatchSummary, ...wanted: readonly string[]): boolean => groups.some(({ verb }) => wanted.includes(verb))
