import type { StoredRecord } from './records.ts'

const SECOND_MS = 1000
const HOUR_MS = 3600 * SECOND_MS

/** How long after a write HubSpot computes the calculated properties of a record, by object type. */
const DELAYS: { readonly [typeId: string]: readonly number[] } = {
  '0-1': [15 * SECOND_MS, 2 * HOUR_MS],
  '0-3': [15 * SECOND_MS],
  '0-5': [20 * SECOND_MS],
  '0-136': [15 * SECOND_MS],
}

interface Due {
  readonly record: StoredRecord
  readonly at: number
}

/** Calculated properties, of which a client sees only that they move the modified date of a record some time after a write. */
export class Calculations {
  /** By delay, so that each queue is in the order of time. */
  private readonly queues = new Map<number, { readonly due: Due[]; next: number }>()

  /** Notes that a record was written. */
  schedule(typeId: string, record: StoredRecord): void {
    for (const delay of DELAYS[typeId] ?? []) {
      const queue = this.queues.get(delay) ?? { due: [], next: 0 }
      this.queues.set(delay, queue)
      queue.due.push({ record, at: record.updatedAt + delay })
    }
  }

  /** Moves the dates of the records whose time has come. */
  run(now: number): void {
    for (const queue of this.queues.values()) {
      for (let due = queue.due[queue.next]; due && due.at <= now; due = queue.due[++queue.next]) {
        const { record, at } = due
        if (record.archivedAt === undefined) record.updatedAt = Math.max(record.updatedAt, at)
      }
      if (queue.next > 1000) queue.next -= queue.due.splice(0, queue.next).length
    }
  }
}
