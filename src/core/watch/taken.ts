import { CrmError } from '../../contract/errors.ts'
import type { RecordType } from '../../contract/record.ts'
import type { Watched } from './watched.ts'

/** Writes records in one transaction. Where the store does not take one of them, that does not hold up the others, which are written apart from it. */
export async function takenOf<T>(
  watched: Watched,
  type: RecordType,
  ids: readonly string[],
  write: (ids: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  try {
    return await write(ids)
  } catch (error) {
    const [id] = ids
    if (id === undefined || !isOfRecord(watched, error)) throw error
    if (ids.length === 1) {
      watched.untaken.add(type, id, error)
      return []
    }
  }
  const half = Math.ceil(ids.length / 2)
  return [...(await takenOf(watched, type, ids.slice(0, half), write)), ...(await takenOf(watched, type, ids.slice(half), write))]
}

/** Whether an error is neither that of the store as a whole, nor one of the CRM. */
const isOfRecord = ({ service, platform }: Watched, error: unknown) =>
  !(error instanceof CrmError) && !service.store.classify(error) && !platform.classify(error)
