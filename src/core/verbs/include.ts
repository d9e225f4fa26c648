import { recordType } from '../../contract/operations.ts'
import type { RecordType, Referring } from '../../contract/record.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import { mayRead, seesRecord } from '../access/access.ts'
import { typeOn } from '../call/extension.ts'
import { includedBy } from '../call/included.ts'
import { idOf, shown } from '../call/records.ts'
import type { Context } from '../call/types.ts'
import type { Source } from '../watch/source.ts'

/**
 * Records with those behind the references that `Include` names, one level deep: read once for all rows of a page. Null where there is none, or none that
 * the caller may read.
 */
export async function withIncluded(context: Context, source: Source, type: RecordType, records: readonly StoredRecord[]): Promise<readonly StoredRecord[]> {
  const included = includedBy(context, type)
  if (included.length === 0) return records
  const found = await Promise.all(included.map((reference) => behind(context, source, reference, records)))
  return records.map((record) => {
    const members = included.map(({ name, field }, i) => [name, found[i]?.get(record[field]) ?? null] as const)
    return { ...record, ...Object.fromEntries(members) } as StoredRecord
  })
}

/** The records behind one reference, by their ids. */
async function behind(
  { caller, binding }: Context,
  source: Source,
  { field, refers }: Referring,
  records: readonly StoredRecord[],
): Promise<ReadonlyMap<unknown, StoredRecord>> {
  const base = recordType(refers)
  if (!mayRead(caller, base)) return new Map()
  const ids = [...new Set(records.flatMap((record) => (typeof record[field] === 'string' ? [record[field]] : [])))]
  const type = typeOn(binding.platformFor(base), base)
  const found = ids.length > 0 ? await source.reader(base).getAll(refers, ids) : []
  return new Map(found.filter((record) => seesRecord(caller, type, record)).map((record) => [idOf(type, record), shown(type, record)]))
}
