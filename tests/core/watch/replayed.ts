import { expect } from 'vitest'
import { recordType } from '../../../src/contract/operations.ts'
import type { RecordType } from '../../../src/contract/record.ts'
import { attachedIn, type Event, type EventName } from '../../../src/contract/records/event.ts'
import type { StoredRecord } from '../../../src/platforms/platform.ts'
import { attachedState, type State, visible } from './account.ts'

/** The state that the events lead to. Refuses an order in which a record could not have lived. */
export function replayed(types: ReadonlyMap<string, RecordType>, first: State, events: readonly Event[]): State {
  const state = new Map(first)
  for (const { Type, RecordType: on, RecordID, Record, ChangedFields, Before, Source } of events) {
    const place = `${on} ${RecordID}`
    const told = `${Type} of ${place} (${Source})`
    switch (Type.split('.')[1]) {
      case 'created':
        expect(state.has(place), `${told}, which exists`).toBe(false)
        state.set(place, visible(types.get(on) as RecordType, Record as StoredRecord))
        break
      case 'updated':
        expect(state.has(place), `${told}, which does not exist`).toBe(true)
        expect(ChangedFields, told).not.toEqual([])
        expect(Before, told).toEqual(Object.fromEntries(ChangedFields.map((field) => [field, valuesOf(state.get(place))[field] ?? null])))
        state.set(place, visible(types.get(on) as RecordType, Record as StoredRecord))
        break
      case 'deleted':
        expect(state.has(place), `${told}, which does not exist`).toBe(true)
        for (const one of [...state.keys()]) if (one === place || one.startsWith(`${place} `) || isMember(one, place)) state.delete(one)
        break
      default:
        replayAttached(state, types.get(on) as RecordType, Type.split('.')[1] as EventName, RecordID, Record as StoredRecord, told)
    }
  }
  return counted(state)
}

/** Those of a custom object beside its other fields. */
const valuesOf = (record: StoredRecord | undefined): StoredRecord => ({ ...record, ...(record?.Values as StoredRecord | undefined) })

/** Whether a place is that of a lead in a campaign. */
const isMember = (place: string, campaign: string) =>
  campaign.startsWith('Campaign ') && place.startsWith('Lead ') && place.endsWith(` Membership ${campaign.slice('Campaign '.length)}`)

/** What Salesforce derives from the members of campaigns is not announced: their number follows from the events. */
function counted(state: State): State {
  for (const [place, campaign] of state) {
    if (!place.startsWith('Campaign ') || campaign.NumberOfLeads === undefined) continue
    state.set(place, { ...campaign, NumberOfLeads: [...state.keys()].filter((one) => isMember(one, place)).length })
  }
  return state
}

function replayAttached(state: State, type: RecordType, eventName: EventName, parent: string, image: StoredRecord, told: string): void {
  const [place, record] = attachedState(type, parent, recordType(attachedIn(eventName) as string), image)
  expect(state.has(`${type.name} ${parent}`), `${told}, which does not exist`).toBe(true)
  const isAdded = eventName.includes('added')
  expect(state.has(place), `${told} ${place}`).toBe(!isAdded)
  if (eventName.includes('removed')) state.delete(place)
  else state.set(place, record)
}
