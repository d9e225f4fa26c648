import type { Records, StoredRecord } from './records.ts'

const SECOND_MS = 1000
const HOUR_MS = 3600 * SECOND_MS

/** How long after a write HubSpot computes the calculated properties of a record, by object type. */
const DELAYS: { readonly [typeId: string]: readonly number[] } = {
  '0-1': [15 * SECOND_MS, 2 * HOUR_MS],
  '0-3': [15 * SECOND_MS],
  '0-5': [20 * SECOND_MS],
  '0-136': [15 * SECOND_MS],
}

/** One of these more, with the fault `calculated`. */
const MORE_DELAYS = [1, 5, 30, 600].map((seconds) => seconds * SECOND_MS)

interface Due {
  readonly records: Records
  readonly record: StoredRecord
  readonly at: number
}

/** Calculated properties, of which a client sees only that they move the modified date of a record some time after a write. */
export class Calculations {
  /** By delay, so that each queue is in the order of time. */
  private readonly queues = new Map<number, { readonly due: Due[]; next: number }>()

  /** Notes that a record was written. With `more`, from 0 to 1, its date moves once more than that of others. */
  schedule({ id, records }: { readonly id: string; readonly records: Records }, record: StoredRecord, more?: number): void {
    const extra = more === undefined ? [] : [MORE_DELAYS[Math.floor(more * MORE_DELAYS.length)] as number]
    for (const delay of [...(DELAYS[id] ?? []), ...extra]) {
      const queue = this.queues.get(delay) ?? { due: [], next: 0 }
      this.queues.set(delay, queue)
      queue.due.push({ records, record, at: record.updatedAt + delay })
    }
  }

  /** Moves the dates of the records whose time has come. */
  run(now: number, horizon: number | undefined): void {
    for (const queue of this.queues.values()) {
      for (let due = queue.due[queue.next]; due && due.at <= now; due = queue.due[++queue.next]) {
        const { records, record, at } = due
        records.touch(record, at, horizon)
      }
      if (queue.next > 1000) queue.next -= queue.due.splice(0, queue.next).length
    }
  }
}
