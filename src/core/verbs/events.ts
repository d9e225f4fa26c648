import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { Change } from '../../contract/records/change.ts'
import { seesRecord } from '../access/access.ts'
import { getRecord } from '../call/records.ts'
import type { Context } from '../call/types.ts'
import { type EventPage, eventOf, searchEvents, typesIn } from '../journal/events.ts'
import { positionsOf, seesNumbers } from '../journal/positions.ts'

/** The events after a cursor, of records the caller may see. */
export async function getEvents({ service, caller, input, budget }: Context): Promise<EventPage> {
  const positions = positionsOf(service, caller)
  const given = input.After as string | undefined
  const { released, newest } = await service.store.journal(caller.workspace.number).span()
  const after = given === undefined ? released : await startAt(given)
  const limit = (input.Limit as number | undefined) ?? LIMITS.defaultEvents
  const { events, upTo } = await searchEvents(service, caller, { after, newest, limit }, budget)
  const typeOf = typesIn(service, caller.workspace)
  const isQuiet = events.length === 0 && upTo >= newest
  return {
    Events: events.map((stored) => ({ EventID: positions.eventId(stored.number), ...eventOf(stored, typeOf) })),
    NextCursor: isQuiet && given !== undefined && positions.stays(given) ? given : positions.cursor(upTo),
  }

  async function startAt(text: string): Promise<number> {
    const number = positions.read(text) ?? (await numberOfChange(text))
    if (number === undefined || number > newest) {
      const message = 'After is not a cursor of this workspace.'
      throw new CrmError('invalid_input', message, {
        errors: [{ field: 'After', code: 'value', message, expected: 'a NextCursor, an EventID or a ChangeID' }],
        hint: seesNumbers(caller)
          ? `The newest event is ${positions.eventId(newest)}. Leave After out to start from the oldest.`
          : 'Numbers are cursors for admins only. Take the ChangeID of a change that you have seen, or leave After out to start from the oldest event.',
      })
    }
    if (number < released && number > 0) {
      const message = 'The events after this cursor are no longer kept.'
      throw new CrmError('not_found', message, {
        errors: [{ field: 'After', code: 'not_found', message }],
        hint: 'Read the records anew, then leave After out to start from the oldest event that is kept.',
      })
    }
    return Math.max(number, released)
  }

  /** The number of a change that the caller may see. */
  async function numberOfChange(id: string): Promise<number | undefined> {
    if (!CHANGE_ID.test(id)) return undefined
    const change = await getRecord(service.store.reader(caller.workspace.number, { budget }), Change, id)
    return change && seesRecord(caller, Change, change) ? (change.Number ?? undefined) : undefined
  }
}

const CHANGE_ID = /^[0-9a-z]{20}$/
