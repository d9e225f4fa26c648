import { recordType } from '../../../contract/operations.ts'
import type { Reader, SearchHit, SearchMatch, SearchQuery, StoredRecord } from '../../platform.ts'

/** The records behind matches, in their order. Those that were deleted or given to another owner since they were indexed are left out. */
export async function hitsOf(matches: readonly SearchMatch[], { owners }: SearchQuery, getAll: Reader['getAll']): Promise<SearchHit[]> {
  const hits: SearchHit[] = []
  for (const type of new Set(matches.map((match) => match.type))) {
    const { id, belongs } = recordType(type)
    const ids = matches.flatMap((match) => (match.type === type ? [match.id] : []))
    const records = new Map((await getAll(type, ids)).map((record) => [record[id] as string, record]))
    const isMine = (record: StoredRecord) => !owners || belongs === null || owners.includes(record[belongs] as string)
    for (const one of ids) {
      const record = records.get(one)
      if (record && isMine(record)) hits.push({ type, record })
    }
  }
  return hits
}
