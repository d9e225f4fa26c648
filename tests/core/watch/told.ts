import { expect } from 'vitest'
import type { RecordType } from '../../../src/contract/record.ts'
import type { Event } from '../../../src/contract/records/event.ts'
import type { StoredRecord } from '../../../src/platforms/platform.ts'
import type { State } from './account.ts'
import { KINDS, type KindName, type Turns } from './acts.ts'
import { replayed } from './replayed.ts'

/** What is known at the end of what happened to an account. */
interface Life {
  readonly types: ReadonlyMap<string, RecordType>
  /** The mirror before. */
  readonly first: State
  /** What was announced since. */
  readonly events: readonly Event[]
  readonly account: State
  readonly mirror: State
  readonly log: readonly string[]
  readonly turnsOf: (place: string) => Turns
}

/** The feed leads from the first state to that of the account, in an order in which records can have lived, and tells of each change once; the mirror is equal. */
export function expectToldOnce({ types, first, events, account, mirror, log, turnsOf }: Life, seed: number): void {
  try {
    expect(new Set([...first.keys()].map((place) => place.split(' ')[0]))).toEqual(new Set(types.keys()))
    expect(listed(mirror)).toEqual(listed(account))
    expect(listed(replayed(types, first, events))).toEqual(listed(account))
    const values = valuesIn(events)
    expect(values.filter((one, at) => values.indexOf(one) !== at)).toEqual([])
    for (const [place, { created, deleted }] of countsIn(events)) {
      const { restored, gone } = turnsOf(place)
      expect(created, `${place} was announced as created`).toBeLessThanOrEqual(restored + (first.has(place) ? 0 : 1))
      expect(deleted, `${place} was announced as deleted`).toBeLessThanOrEqual(gone)
    }
  } catch (error) {
    console.error(`WATCH_SEED=${seed}\n${log.join('\n')}\n${events.map(told).join('\n')}`)
    throw error
  }
}

export const listed = (state: State) => Object.fromEntries([...state].sort(([a], [b]) => (a < b ? -1 : 1)))

/** The values that events tell of, each change of one record being a value of its own. */
function valuesIn(events: readonly Event[]): string[] {
  return events.flatMap(({ Type, RecordType, RecordID, Record, ChangedFields }) => {
    const { field } = KINDS[RecordType as KindName]
    return Type.endsWith('.updated') && ChangedFields.includes(field) ? [`${RecordID} ${JSON.stringify((Record as StoredRecord)[field])}`] : []
  })
}

/** How often each record was announced as created and as deleted. */
function countsIn(events: readonly Event[]): Map<string, { readonly created: number; readonly deleted: number }> {
  const counts = new Map<string, { readonly created: number; readonly deleted: number }>()
  for (const { Type, RecordType, RecordID } of events) {
    const place = `${RecordType} ${RecordID}`
    const { created, deleted } = counts.get(place) ?? { created: 0, deleted: 0 }
    counts.set(place, { created: created + Number(Type.endsWith('.created')), deleted: deleted + Number(Type.endsWith('.deleted')) })
  }
  return counts
}

const told = ({ Type, RecordID, Source, ChangedFields, Record }: Event) =>
  `${Type} ${RecordID} ${Source} ${ChangedFields} ${Object.values(Record as StoredRecord).find((value) => String(value).startsWith('value')) ?? ''}`
