import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Context } from '../call/types.ts'
import { type EventPage, eventIdOf, readEvents } from '../journal/events.ts'

/** The events after a cursor, of records the caller may see. */
export async function getEvents({ service, caller, input }: Context): Promise<EventPage> {
  const after = await startOf()
  return readEvents(service, caller, after, (input.Limit as number | undefined) ?? LIMITS.defaultEvents)

  async function startOf(): Promise<number> {
    const { released, newest } = await service.store.journal(caller.workspace.number).span()
    if (input.After === undefined) return released
    const text = input.After as string
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (Number.isNaN(number) || number > newest) {
      const message = 'After is not a cursor of this workspace.'
      throw new CrmError('invalid_input', message, {
        errors: [{ field: 'After', code: 'value', message, expected: 'a NextCursor or an EventID' }],
        hint: `The newest event is ${eventIdOf(newest)}. Leave After out to start from the oldest.`,
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
}
