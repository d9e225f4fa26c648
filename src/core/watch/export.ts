import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordType } from '../../contract/record.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { backfill } from './apply.ts'
import type { TypePosition } from './positions.ts'
import type { Watched } from './watched.ts'

/** Fewer records are read by ordinary pages, which takes no more requests. */
const WORTH = 10_000

/**
 * Backfills the mirror by the platform's export, where it has one and there are many records. It is resumed by its cursor. Resolves to the moment since which changes are not in
 * the mirror, and to undefined where all records have to be read by ordinary pages.
 */
export async function fillByExport(
  watched: Watched,
  type: RecordType,
  known: TypePosition | undefined,
  total: number,
  signal: AbortSignal,
  keep: (writer: StoreWriter, reached: TypePosition) => Promise<void>,
): Promise<number | undefined> {
  const { records, feed } = watched
  const { exported } = records
  if (!exported || (!known && total < WORTH)) return undefined
  const since = known?.since ?? feed.now()
  for (let coming = exported(type.name, known?.export); ; ) {
    const step = await coming
    if (!step) return undefined
    const { records: page, cursor, waitMs } = step
    if (cursor !== undefined && waitMs === undefined) {
      // The next page is fetched while this one is stored.
      coming = exported(type.name, cursor)
      coming.catch(() => {})
    }
    await backfill(watched, type, page, (writer) => keep(writer, { since, isComplete: false, ...(cursor !== undefined && { export: cursor }) }))
    if (cursor === undefined || signal.aborted) return since
    if (waitMs === undefined) continue
    await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {})
    if (signal.aborted) return since
    coming = exported(type.name, cursor)
  }
}
