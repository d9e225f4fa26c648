import { type Static, type TSchema, type TString, Type } from 'typebox'
import { LIMITS } from '../limits.ts'
import { fold } from '../names.ts'
import { operation } from '../operation.ts'
import { type RecordType, words } from '../record.ts'
import { detailed } from '../shapes.ts'
import { Campaign, Membership } from './campaign.ts'
import { Case } from './case.ts'
import { Change } from './change.ts'
import { Comment } from './comment.ts'
import { CustomObject } from './custom-object.ts'
import { Key } from './key.ts'
import { Lead } from './lead.ts'
import { Note } from './note.ts'
import { Opportunity } from './opportunity.ts'
import { Plan } from './plan.ts'
import { User } from './user.ts'
import { Webhook } from './webhook.ts'

/** What can happen to a record, in words, and what the event shows of it. */
const EVENT_NAMES = {
  created: { means: 'was created', shows: 'it as it was created' },
  updated: { means: 'was changed', shows: 'it as it was left' },
  deleted: { means: 'was deleted', shows: 'it as it was before' },
  erased: { means: 'was erased for good, with every image of it', shows: 'nothing' },
  note_added: { means: 'got a note', shows: 'the note' },
  note_removed: { means: 'lost a note whose adding was undone', shows: 'the note' },
  comment_added: { means: 'got a comment', shows: 'the comment' },
  comment_removed: { means: 'lost a comment whose adding was undone', shows: 'the comment' },
  added_to_campaign: { means: 'was added to a campaign', shows: 'the membership' },
  removed_from_campaign: { means: 'was taken out of a campaign', shows: 'the membership' },
  revoked: { means: 'was revoked', shows: 'it as it was left' },
  secret_rotated: { means: 'got a new secret', shows: 'it, without the secret' },
  replayed: { means: 'had dead letters sent again', shows: 'it' },
  planned: { means: 'waits to be confirmed', shows: 'it, without its input and preview' },
  refused: { means: 'was refused', shows: 'it as it was left, without its input and preview' },
} as const

export type EventName = keyof typeof EVENT_NAMES

const note = <Id extends string>(id: Id) => detailed(Note.stored, { [id]: Type.String() } as { [K in Id]: TString })
const announcedPlan = Type.Omit(Plan.stored, ['Input', 'Preview'])
const comment = detailed(Comment.stored, { CaseID: Type.String() })

const CHANGES = ['created', 'updated', 'deleted', 'erased'] as const

interface Row {
  readonly record: RecordType
  readonly eventNames: readonly EventName[]
  readonly hanging?: { readonly [eventName: string]: TSchema }
}

/** What happens to records of each type. */
const BY_TYPE = [
  {
    record: Lead,
    eventNames: [...CHANGES, 'note_added', 'note_removed', 'added_to_campaign', 'removed_from_campaign'],
    hanging: {
      note_added: note('LeadID'),
      note_removed: note('LeadID'),
      added_to_campaign: Membership.stored,
      removed_from_campaign: Membership.stored,
    },
  },
  {
    record: Opportunity,
    eventNames: [...CHANGES, 'note_added', 'note_removed'],
    hanging: { note_added: note('OpportunityID'), note_removed: note('OpportunityID') },
  },
  {
    record: Case,
    eventNames: [...CHANGES, 'comment_added', 'comment_removed'],
    hanging: { comment_added: comment, comment_removed: comment },
  },
  { record: CustomObject, eventNames: CHANGES },
  { record: Campaign, eventNames: ['created', 'deleted'] },
  { record: User, eventNames: ['created', 'updated'] },
  { record: Key, eventNames: ['created', 'revoked'] },
  { record: Webhook, eventNames: ['created', 'updated', 'deleted', 'secret_rotated', 'replayed'] },
  { record: Plan, eventNames: ['planned', 'refused'], hanging: { planned: announcedPlan, refused: announcedPlan } },
] as const satisfies readonly Row[]

export function eventTypeOf(record: RecordType, eventName: EventName): string {
  let name = names.get(record.name)
  if (name === undefined) {
    name = fold(words(record.name))
    names.set(record.name, name)
  }
  return `${name}.${eventName}`
}

/** What each record type is called in the names of its events. */
const names = new Map<string, string>()

/** What is announced when a record changes. */
export interface Event {
  readonly EventID: string
  readonly Type: string
  readonly At: string
  readonly RecordType: string
  readonly RecordID: string
  readonly UserID: string
  readonly ChangeID: string
  readonly ChangedFields: readonly string[]
  readonly Record: { readonly [field: string]: unknown } | null
}

/** `CustomObject` as the names of events have it: `custom_object`. */
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? Rest extends Uncapitalize<Rest>
    ? `${Lowercase<First>}${Snake<Rest>}`
    : `${Lowercase<First>}_${Snake<Rest>}`
  : ''

type Shown<R extends Row, H> = H extends 'erased'
  ? null
  : (R['hanging'] extends { readonly [K in H & string]: infer S extends TSchema } ? Static<S> : Static<R['record']['stored']>) | null

type EventOf<R extends Row, H extends EventName> = Omit<Event, 'Type' | 'RecordType' | 'Record'> & {
  readonly Type: `${Snake<R['record']['name']>}.${H}`
  readonly RecordType: R['record']['name']
  readonly Record: Shown<R, H>
}

type EventsOf<R> = R extends Row ? { [H in R['eventNames'][number]]: EventOf<R, H> }[R['eventNames'][number]] : never

/** An event whose Type tells what its Record is. */
export type KnownEvent = EventsOf<(typeof BY_TYPE)[number]>

export interface EventType {
  readonly type: string
  readonly record: RecordType
  readonly happening: EventName
  readonly summary: string
  readonly schema: TSchema
}

function eventSchema(type: string, recordType: string, record: TSchema | undefined): TSchema {
  return Type.Object(
    {
      EventID: Type.String({ description: 'Where the event stands in the order of the workspace; a cursor for what comes after it.' }),
      Type: Type.Literal(type, { description: 'What happened.' }),
      At: Type.Unsafe<string>({ type: 'string', format: 'date-time', description: 'When it happened.' }),
      RecordType: Type.Literal(recordType, { description: 'The type of the record it happened to.' }),
      RecordID: Type.String({ description: 'The record it happened to.' }),
      UserID: Type.String({ description: 'Who did it.' }),
      ChangeID: Type.String({ description: 'The line of the audit, as `undo_change` takes it.' }),
      ChangedFields: Type.Array(Type.String(), { description: 'The fields whose value is another now.' }),
      Record: record
        ? Type.Unsafe({ anyOf: [record, { type: 'null' }], description: 'Null once the record was erased.' })
        : Type.Unsafe<null>({ type: 'null' }),
    },
    { title: `${pascal(type)}Event` },
  )
}

const pascal = (text: string) => text.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())

function summaryOf(record: RecordType, eventName: EventName, restorable: boolean): string {
  const { means, shows } = EVENT_NAMES[eventName]
  const name = words(record.name).toLowerCase()
  const back = eventName === 'created' && restorable ? ', or brought back after it was deleted' : ''
  return `${/^[aeio]/.test(name) ? 'An' : 'A'} ${name} ${means}${back}. Record is ${shows === 'nothing' ? 'null' : shows}.`
}

/** Every event there is: names, payloads, and what each means. */
export const EVENT_TYPES: readonly EventType[] = (BY_TYPE as readonly Row[]).flatMap(({ record, eventNames, hanging }) =>
  eventNames.map((eventName) => {
    const type = eventTypeOf(record, eventName)
    return {
      type,
      record,
      happening: eventName,
      summary: summaryOf(record, eventName, eventNames.includes('deleted') && record !== Webhook),
      schema: eventSchema(type, record.name, eventName === 'erased' ? undefined : (hanging?.[eventName] ?? record.stored)),
    }
  }),
)

/** What a test of a webhook sends. */
export const TEST_EVENT = 'webhook.test'

export type TestEvent = Omit<Event, 'Type' | 'RecordType' | 'ChangeID' | 'Record'> & {
  readonly Type: typeof TEST_EVENT
  readonly RecordType: 'Webhook'
  readonly ChangeID: null
  readonly Record: Static<typeof Webhook.stored>
}

const anyEvent = Type.Unsafe<KnownEvent>({
  type: 'object',
  title: 'Event',
  properties: {
    ...(eventSchema('lead.created', 'Lead', undefined) as unknown as { properties: object }).properties,
    Type: { type: 'string', enum: EVENT_TYPES.map(({ type }) => type) },
    RecordType: { type: 'string', enum: BY_TYPE.map(({ record }) => record.name) },
    Record: { type: ['object', 'null'], description: 'The record, or what was hung on it; null once it was erased.' },
  },
  required: ['EventID', 'Type', 'At', 'RecordType', 'RecordID', 'UserID', 'ChangeID', 'ChangedFields', 'Record'],
})

export const getManyEvents = operation({
  name: 'Get Many Events',
  method: 'events.getMany',
  record: Change,
  verb: 'getEvents',
  effect: 'read',
  summary: 'Answers with what happened to the records the caller may see, oldest first, from a cursor on; the same as GET /v1/events.',
  description: 'NextCursor is never null: keep it, and ask again later for what has happened since. A page may be empty while more follow.',
  input: Type.Object(
    {
      After: Type.Optional(
        Type.Unsafe<string | null>({
          type: ['string', 'null'],
          maxLength: LIMITS.text,
          description: 'A NextCursor or an EventID; everything after it is wanted. From the oldest event kept unless given.',
        }),
      ),
      Limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: LIMITS.events, description: `Events in a page, ${LIMITS.defaultEvents} unless said otherwise.` }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ Events: Type.Array(anyEvent), NextCursor: Type.String({ description: 'Where to go on.' }) }),
  errors: ['not_found'],
  example: { Limit: 50 },
  extension: true,
})
