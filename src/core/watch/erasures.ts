import type { JournalReader, StoreWriter } from '../../platforms/store.ts'

/** The name of the position that tells which records of an account are being erased, or were lately. */
const ERASURES = 'mirror erasures'

/** For how long an erasure may go on. One whose process has crashed is over by then: what it has deleted is still found, since polls go back further. */
const OPEN_MS = 2 * 60_000

/** For how long an erasure is kept: what was read of a record before it may be stored that much later. */
const KEPT_MS = 24 * 3_600_000
const MOST_KEPT = 1_000

interface Erasure {
  readonly stamp: string
  readonly at: string
  readonly isOpen: boolean
}

/** By the type and id of the record. */
export type Erasures = { readonly [record: string]: Erasure | undefined }

const nameOf = (type: string, id: string) => `${type} ${id}`

export const NO_ERASURES: Erasures = {}

export async function readErasures(journal: Pick<JournalReader, 'position'>): Promise<Erasures> {
  return JSON.parse((await journal.position(ERASURES)) ?? '{}') as Erasures
}

/**
 * Which records the watch leaves alone in a transaction: those that are being erased, so that nothing of them is announced, and those that were erased since `before`, so that what was
 * read until then does not come back. No erasure begins or ends until the transaction has ended.
 */
export async function erasedSince(writer: StoreWriter, before: Erasures): Promise<(type: string, id: string) => boolean> {
  await writer.lockName(ERASURES)
  const now = await readErasures(writer)
  const openAfter = agoIn(writer, OPEN_MS)
  return (type, id) => {
    const name = nameOf(type, id)
    const erasure = now[name]
    return erasure !== undefined && (erasure.stamp !== before[name]?.stamp || (erasure.isOpen && erasure.at > openAfter))
  }
}

/** Notes that the erasure of a record begins or has ended, under all types that it is known under. Call it before a record is read by its id. */
export async function noteErasure(writer: StoreWriter, types: readonly string[], id: string, isOpen: boolean): Promise<void> {
  await writer.lockName(ERASURES)
  const { id: stamp, at } = writer.newId()
  const keptAfter = agoIn(writer, KEPT_MS)
  const names = types.map((type) => nameOf(type, id))
  const others = Object.entries(await readErasures(writer)).filter(([name, erasure]) => erasure && erasure.at > keptAfter && !names.includes(name))
  const all = [...others.slice(-MOST_KEPT), ...names.map((name) => [name, { stamp, at, isOpen }] as const)]
  await writer.setPosition(ERASURES, JSON.stringify(Object.fromEntries(all)))
}

const agoIn = (writer: StoreWriter, ms: number) => new Date(Date.parse(writer.now()) - ms).toISOString()
