import type { JournalReader, StoreWriter } from '../../platforms/store.ts'
import { announceOfConnection } from './of-connection.ts'

/** How many records of each type were repaired. */
export interface Repairs {
  readonly [type: string]: number
}

/** The name of the position that has all repairs of a mirror so far, by the nightly verification and by the command. */
const MIRROR_REPAIRED = 'mirror repaired'

export async function readRepairs(journal: Pick<JournalReader, 'position'>): Promise<Repairs> {
  return JSON.parse((await journal.position(MIRROR_REPAIRED)) ?? '{}') as Repairs
}

/** Counts and announces repairs, where there were any. */
export async function recordRepairs(writer: StoreWriter, repairs: Repairs): Promise<void> {
  if (Object.keys(repairs).length === 0) return
  const all: Record<string, number> = { ...(await readRepairs(writer)) }
  for (const [type, records] of Object.entries(repairs)) all[type] = (all[type] ?? 0) + records
  await writer.setPosition(MIRROR_REPAIRED, JSON.stringify(all))
  await announceOfConnection(writer, 'repaired', { Repaired: repairs })
}
