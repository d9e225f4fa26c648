import type { Store } from '../../store.ts'
import { mirrorOf } from '../mirror.ts'
import { type Counters, corrections, REMOVE_EMPTY } from '../sql/recount.ts'
import { amountSums, SPLIT } from '../sql/rollups.ts'
import type { Scans } from './scans.ts'
import { tableFor } from './tables.ts'
import type { Work } from './work.ts'

export const COUNTERS: Counters = {
  sums(amount) {
    if (amount === undefined) return '0, 0'
    const { high, low } = amountSums(amount)
    return `COALESCE(${high}, 0), COALESCE(${low}, 0)`
  },
  columns: ['High', 'Low'],
  isChanged: `SUM("High") * ${SPLIT} + SUM("Low") <> 0`,
}

/** The records are counted in a thread; only where that differs are they counted again, in a transaction. */
export const createRecount =
  (scans: Scans, transaction: <T>(work: (piece: Work) => T) => Promise<T>): Store['recountMirror'] =>
  async (workspace, type) => {
    const mirror = mirrorOf(workspace)
    const table = tableFor(type)
    if (!table.record.state) return 0
    const { find, correct } = corrections(table, mirror, COUNTERS)
    if ((await scans.long(find, [], undefined)).length === 0) return 0
    return transaction((piece) => {
      const corrected = piece.run(correct, [])
      piece.run(REMOVE_EMPTY, [mirror, type])
      return corrected
    })
  }
