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
import { Company } from './company.ts'
import { Connection } from './connection.ts'
import { Contact } from './contact.ts'
import { CustomObject, Definition } from './custom-object.ts'
import { Key } from './key.ts'
import { Lead } from './lead.ts'
import { Note } from './note.ts'
import { Opportunity } from './opportunity.ts'
import { OwnField } from './own-field.ts'
import { Plan } from './plan.ts'
import { User } from './user.ts'
import { Webhook } from './webhook.ts'
import { Workspace } from './workspace.ts'

/** Where a change was made: through the connector, or in the CRM itself. */
export const SOURCES = { api: 'through the connector', crm: 'in the CRM itself' } as const

/** The transport in the audit line of a change that was made in the CRM itself. */
export const IN_CRM = 'crm'

/** The event names, what each means, what its Record shows, and of which type that is where it is attached to the changed record. */
const EVENT_NAMES = {
  created: { means: 'was created', shows: 'it as it was created' },
  updated: { means: 'was changed', shows: 'it as it is afterwards' },
  deleted: { means: 'was deleted', shows: 'it as it was before' },
  restored: { means: 'was restored', shows: 'it as it is afterwards' },
  erased: { means: 'was erased permanently, with every image of it', shows: 'nothing' },
  note_added: { means: 'got a note', shows: 'the note', attached: 'Note' },
  note_removed: { means: 'lost a note: its creation was undone, or it was removed in the CRM', shows: 'the note', attached: 'Note' },
  comment_added: { means: 'got a comment', shows: 'the comment', attached: 'Comment' },
  comment_removed: { means: 'lost a comment: its creation was undone, or it was removed in the CRM', shows: 'the comment', attached: 'Comment' },
  added_to_campaign: { means: 'was added to a campaign', shows: 'the membership', attached: 'Membership' },
  campaign_status_changed: { means: 'got another status or external id in a campaign', shows: 'the membership', attached: 'Membership' },
  removed_from_campaign: { means: 'was removed from a campaign', shows: 'the membership', attached: 'Membership' },
  retired: { means: 'was retired', shows: 'it as it is afterwards' },
  paused: { means: 'was paused', shows: 'it as it is afterwards' },
  resumed: { means: 'is served again', shows: 'it as it is afterwards' },
  revoked: { means: 'was revoked', shows: 'it as it is afterwards' },
  secret_rotated: { means: 'got a new secret', shows: 'it, without the secret' },
  connected: { means: 'was connected to its account', shows: 'it as it is afterwards, without secrets' },
  resynced: { means: 'has a mirror that is backfilled anew: what was changed in the account meanwhile is not told one by one', shows: 'it, with the reason' },
  repaired: { means: 'had a mirror that differed from its account, and was corrected', shows: 'it, with how many records of which type' },
  broken: { means: 'is no longer let in by its account', shows: 'it, with why and what to do' },
  replayed: { means: 'had dead letters sent again', shows: 'it' },
  planned: { means: 'waits to be confirmed', shows: 'it, without its input and preview' },
  refused: { means: 'was refused', shows: 'it as it is afterwards, without its input and preview' },
} as const

export type EventName = keyof typeof EVENT_NAMES

/** The type of the note, comment or membership that an event shows; undefined where it shows the changed record itself. */
export function attachedIn(eventName: EventName): string | undefined {
  const { attached }: { readonly means: string; readonly attached?: string } = EVENT_NAMES[eventName]
  return attached
}

const note = <Id extends string>(id: Id) => detailed(Note.stored, { [id]: Type.String() } as { [K in Id]: TString })
const { Input: _input, Preview: _preview, ...planMembers } = Plan.stored.properties
// Not by Type.Omit, which would bring all that computes types into the bundles.
const announcedPlan = Type.Object(planMembers)
const repairedConnection = detailed(Connection.stored, {
  Repaired: Type.Unsafe<{ [type: string]: number }>({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'How many records were corrected, by their type.',
    examples: [{ Lead: 2 }],
  }),
})
export const RESYNC_REASONS = ['gap', 'replaced', 'switched'] as const
export type ResyncReason = (typeof RESYNC_REASONS)[number]

const resyncedConnection = detailed(Connection.stored, {
  Resynced: Type.Optional(
    Type.Unsafe<ResyncReason>({
      type: 'string',
      enum: [...RESYNC_REASONS],
      description:
        'Why: it was not followed for more than seven days (`gap`), another account is behind the same address (`replaced`), or the workspace has used another one meanwhile (`switched`).',
    }),
  ),
})
const comment = detailed(Comment.stored, { CaseID: Type.String() })

const CHANGES = ['created', 'updated', 'deleted', 'erased'] as const

interface Row {
  readonly record: RecordType
  readonly eventNames: readonly EventName[]
  readonly schemas?: { readonly [eventName: string]: TSchema }
}

/** The events of each record type. */
const BY_TYPE = [
  {
    record: Lead,
    eventNames: [...CHANGES, 'note_added', 'note_removed', 'added_to_campaign', 'campaign_status_changed', 'removed_from_campaign'],
    schemas: {
      note_added: note('LeadID'),
      note_removed: note('LeadID'),
      added_to_campaign: Membership.stored,
      campaign_status_changed: Membership.stored,
      removed_from_campaign: Membership.stored,
    },
  },
  {
    record: Opportunity,
    eventNames: [...CHANGES, 'note_added', 'note_removed'],
    schemas: { note_added: note('OpportunityID'), note_removed: note('OpportunityID') },
  },
  {
    record: Case,
    eventNames: [...CHANGES, 'comment_added', 'comment_removed'],
    schemas: { comment_added: comment, comment_removed: comment },
  },
  {
    record: Company,
    eventNames: [...CHANGES, 'note_added', 'note_removed'],
    schemas: { note_added: note('CompanyID'), note_removed: note('CompanyID') },
  },
  {
    record: Contact,
    eventNames: [...CHANGES, 'note_added', 'note_removed'],
    schemas: { note_added: note('ContactID'), note_removed: note('ContactID') },
  },
  { record: CustomObject, eventNames: CHANGES },
  { record: Definition, eventNames: ['updated', 'deleted', 'restored'] },
  { record: OwnField, eventNames: ['created', 'updated', 'retired', 'restored'] },
  { record: Campaign, eventNames: ['created', 'updated', 'deleted'] },
  { record: User, eventNames: ['created', 'updated'] },
  { record: Key, eventNames: ['created', 'revoked'] },
  { record: Webhook, eventNames: ['created', 'updated', 'deleted', 'secret_rotated', 'replayed'] },
  {
    record: Connection,
    eventNames: ['created', 'updated', 'connected', 'broken', 'restored', 'resynced', 'repaired', 'deleted'],
    schemas: { repaired: repairedConnection, resynced: resyncedConnection },
  },
  { record: Plan, eventNames: ['planned', 'refused'], schemas: { planned: announcedPlan, refused: announcedPlan } },
  { record: Workspace, eventNames: ['created', 'updated', 'paused', 'resumed', 'deleted'] },
] as const satisfies readonly Row[]

export function eventTypeOf(record: RecordType, eventName: EventName): string {
  let name = names.get(record.name)
  if (name === undefined) {
    name = fold(words(record.name))
    names.set(record.name, name)
  }
  return `${name}.${eventName}`
}

/** The first part of event types, by record type; memoised. */
const names = new Map<string, string>()

/** The event of a change. */
export interface Event {
  readonly EventID: string
  readonly Type: string
  readonly At: string
  readonly RecordType: string
  readonly RecordID: string
  readonly UserID: string
  readonly Source: keyof typeof SOURCES
  readonly ChangeID: string
  readonly BatchID: string | null
  readonly ChangedFields: readonly string[]
  readonly Before: { readonly [field: string]: unknown } | null
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
  : (R['schemas'] extends { readonly [K in H & string]: infer S extends TSchema } ? Static<S> : Static<R['record']['stored']>) | null

type EventOf<R extends Row, H extends EventName> = Omit<Event, 'Type' | 'RecordType' | 'Record'> & {
  readonly Type: `${Snake<R['record']['name']>}.${H}`
  readonly RecordType: R['record']['name']
  readonly Record: Shown<R, H>
}

type EventsOf<R> = R extends Row ? { [H in R['eventNames'][number]]: EventOf<R, H> }[R['eventNames'][number]] : never

/** An event whose Type determines the type of its Record. */
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
      EventID: Type.String({
        description:
          'A cursor for the events after this one, and always the same for it. Admins see the number of the change; to others it is a token without an order.',
      }),
      Type: Type.Literal(type, { description: 'What happened.' }),
      At: Type.Unsafe<string>({ type: 'string', format: 'date-time', description: 'When it happened.' }),
      RecordType: Type.Literal(recordType, { description: 'The type of the changed record.' }),
      RecordID: Type.String({ description: 'The changed record.' }),
      UserID: Type.String({ description: 'Who did it; `nobody` where the CRM does not tell, or no user did.' }),
      Source: Type.Unsafe<Event['Source']>({
        type: 'string',
        enum: Object.keys(SOURCES),
        description: `${Object.entries(SOURCES)
          .map(([source, where]) => `\`${source}\` where it was done ${where}`)
          .join(', ')}.`,
      }),
      ChangeID: Type.String({ description: 'The audit line, which `undo_change` takes.' }),
      BatchID: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'The batch that it was done in, which `undo_change` takes too.' }),
      ChangedFields: Type.Array(Type.String(), { description: 'The fields whose value changed.' }),
      Before: Type.Unsafe<Event['Before']>({
        type: ['object', 'null'],
        description:
          'The values that changed, as they were before; all of them where the record was deleted. Null where it was created, and once it was erased.',
      }),
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
  const back = eventName === 'created' && restorable ? ', or restored after it was deleted' : ''
  return `${/^[aeio]/.test(name) ? 'An' : 'A'} ${name} ${means}${back}. Record is ${shows === 'nothing' ? 'null' : shows}.`
}

/** All event types with their payloads and meanings. */
export const EVENT_TYPES: readonly EventType[] = (BY_TYPE as readonly Row[]).flatMap(({ record, eventNames, schemas }) =>
  eventNames.map((eventName) => {
    const type = eventTypeOf(record, eventName)
    return {
      type,
      record,
      happening: eventName,
      summary: summaryOf(record, eventName, eventNames.includes('deleted') && record !== Webhook && record !== Workspace),
      schema: eventSchema(type, record.name, eventName === 'erased' ? undefined : (schemas?.[eventName] ?? record.stored)),
    }
  }),
)

/** The event that `test_webhook` sends. */
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
    Record: { type: ['object', 'null'], description: 'The record, or its note, comment or membership; null once it was erased.' },
  },
  required: ['EventID', 'Type', 'At', 'RecordType', 'RecordID', 'UserID', 'Source', 'ChangeID', 'BatchID', 'ChangedFields', 'Before', 'Record'],
})

export const getManyEvents = operation({
  name: 'Get Many Events',
  method: 'events.getMany',
  record: Change,
  verb: 'getEvents',
  effect: 'read',
  summary: 'Answers with the events of records the caller may see, oldest first, from a cursor on; the same as GET /v1/events.',
  description:
    'NextCursor is never null: keep it, and call again later with it for newer events. There are none for now once NextCursor is the After of the call; a page may be empty while more follow.',
  input: Type.Object(
    {
      After: Type.Optional(
        Type.Unsafe<string | null>({
          type: ['string', 'null'],
          maxLength: LIMITS.text,
          description:
            'A NextCursor, an EventID, or the ChangeID of a change that the caller may see: answers with the events after it. By default from the oldest event that is kept.',
        }),
      ),
      Limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.events, description: `Events in a page, ${LIMITS.defaultEvents} by default.` })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ Events: Type.Array(anyEvent), NextCursor: Type.String({ description: 'The After of the next call.' }) }),
  errors: ['not_found'],
  example: { Limit: 50 },
  extension: true,
})
