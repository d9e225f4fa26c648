import { type RecordType, referencesOf } from '../../contract/record.ts'
import { idOf } from '../call/records.ts'
import { apply } from './apply.ts'
import { everyRow } from './attached/rows.ts'
import { mirroredTypes } from './mirrored.ts'
import { slices } from './slices.ts'
import type { Watched } from './watched.ts'

/** Reads anew what refers to records that are gone, as not every CRM tells that it has emptied a reference. What the account does not let us read is left as it is. */
export async function applyReferring(watched: Watched, type: RecordType, deleted: readonly string[]): Promise<void> {
  for (const some of slices(deleted)) await applyReferringTo(watched, type, some)
}

async function applyReferringTo(watched: Watched, type: RecordType, deleted: readonly string[]): Promise<void> {
  const { platform, mirror } = watched
  const present = new Set((await mirror.getAll(type.name, deleted)).map((record) => idOf(type, record)))
  const gone = deleted.filter((id) => !present.has(id))
  if (gone.length === 0) return
  for (const other of mirroredTypes(platform))
    for (const { field } of referencesOf(other).filter(({ refers }) => refers === type.name)) {
      const rows = await everyRow(mirror, other, [{ field, family: 'text', operator: 'in', value: gone }], [])
      const ids = rows.map((row) => idOf(other, row))
      await apply(watched, other, ids).catch((error: unknown) => {
        if (platform.classify(error)?.code !== 'forbidden') throw error
      })
    }
}
