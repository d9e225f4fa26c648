import { OPERATIONS } from '../../../contract/operations.ts'
import { CustomObject, Definition } from '../../../contract/records/custom-object.ts'
import { type Event, type EventName, type EventType, IN_CRM } from '../../../contract/records/event.ts'
import { NOBODY } from '../../../contract/records/user.ts'
import { definitionId } from '../../../core/call/definitions.ts'
import { eventOf } from '../../../core/journal/events.ts'
import { numberId } from '../../../core/journal/positions.ts'
import { ID, MOMENT, recordExample } from './examples.ts'
import type { Json } from './schemas.ts'

type Image = { readonly [field: string]: Json }
type Images = { readonly before: Image | null; readonly after: Image | null }

const NUMBER = 42
const CHANGE_ID = '0k6v2m8q4d9x1c7b5n40'
const LATER = '2026-11-15T10:15:00.000Z'

/** What the watch of a CRM finds, and no call does. */
const FOUND: readonly EventName[] = ['resynced', 'repaired']

/** An example of an event, built from the examples of the contract as real events are. */
export function eventExample(type: EventType): Event {
  const { before, after } = imagesOf(type)
  const image = after ?? before ?? {}
  const written = (image: Image | null) => image && JSON.stringify(image)
  const event = eventOf({
    changeId: CHANGE_ID,
    at: type.happening === 'created' ? MOMENT : LATER,
    eventType: type.type,
    recordType: type.record.name,
    recordId: type.record === Definition ? definitionId(image.ObjectName as string, image.FieldName as string) : ID,
    ...(FOUND.includes(type.happening) ? { userId: NOBODY, transport: IN_CRM } : { userId: ID, transport: 'http' }),
    before: written(before),
    after: written(after),
    batchId: null,
  })
  return { EventID: numberId(NUMBER), ...event }
}

/** The record before and after. */
function imagesOf({ record, happening, schema }: EventType): Images {
  const image = recordExample(record)
  const revised = record.revised ? { ...image, UpdatedDate: LATER, Revision: 2 } : image
  const example = () => recordExample(record, (schema as unknown as { properties: { Record: { anyOf: readonly unknown[] } } }).properties.Record.anyOf[0])
  switch (happening) {
    case 'created':
    case 'restored':
      return { before: null, after: image }
    case 'updated':
      return updated(record.name, image, revised)
    case 'deleted':
      return { before: image, after: null }
    case 'erased':
      return { before: null, after: null }
    case 'retired':
      return { before: image, after: { ...image, Retired: true } }
    case 'paused':
      return { before: image, after: { ...revised, State: 'paused' } }
    case 'resumed':
      return { before: { ...image, State: 'paused' }, after: revised }
    case 'revoked':
      return { before: image, after: { ...revised, RevokedDate: LATER } }
    case 'secret_rotated':
    case 'connected':
    case 'broken':
      return { before: image, after: revised }
    case 'replayed':
      return { before: image, after: image }
    case 'resynced':
    case 'repaired':
      return { before: example(), after: example() }
    case 'campaign_status_changed':
      return { before: { ...example(), Status: null }, after: { ...example(), Status: 'Responded' } }
    case 'note_removed':
    case 'comment_removed':
    case 'removed_from_campaign':
      return { before: example(), after: null }
    case 'refused':
      return { before: example(), after: { ...example(), State: 'refused', DecidedBy: ID, UpdatedDate: LATER, Revision: 2 } }
    case 'planned':
    case 'note_added':
    case 'comment_added':
    case 'added_to_campaign':
      return { before: null, after: example() }
  }
}

/** The record after the example of the update. */
function updated(name: string, image: Image, revised: Image): Images {
  const { example } = OPERATIONS.find(({ record, effect, example }) => record.name === name && effect === 'update' && 'FieldsToUpdate' in example) ?? {}
  const changes = (example as { FieldsToUpdate?: Image } | undefined)?.FieldsToUpdate ?? {}
  // A boolean that the example sets was the opposite before.
  const otherwise = Object.fromEntries(Object.entries(changes).flatMap(([field, value]) => (typeof value === 'boolean' ? [[field, !value]] : [])))
  const after = name === CustomObject.name ? { ...revised, Values: { ...(image.Values as Image), ...changes } } : { ...revised, ...changes }
  return { before: { ...image, ...otherwise }, after }
}
