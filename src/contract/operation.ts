import { type Static, type TSchema, Type } from 'typebox'
import type { ErrorCode } from './errors.ts'
import { LIMITS } from './limits.ts'
import { fold } from './names.ts'
import { type RecordType, referencesOf } from './record.ts'

export type Effect = 'read' | 'create' | 'update' | 'delete'

/** What the core does for an operation; one function each in `core/verbs`. */
export type Verb =
  | 'create'
  | 'upsert'
  | 'convert'
  | 'get'
  | 'getMany'
  | 'getSummary'
  | 'search'
  | 'update'
  | 'delete'
  | 'attach'
  | 'getAttached'
  | 'link'
  | 'unlink'
  | 'createCustom'
  | 'upsertCustom'
  | 'updateField'
  | 'deleteField'
  | 'defineField'
  | 'updateOwnField'
  | 'retireField'
  | 'describe'
  | 'getCurrentUser'
  | 'createUser'
  | 'updateUser'
  | 'createKey'
  | 'revokeKey'
  | 'getEvents'
  | 'undoChange'
  | 'eraseRecord'
  | 'allowPlan'
  | 'refusePlan'
  | 'createWebhook'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'rotateWebhookSecret'
  | 'testWebhook'
  | 'replayDeliveries'
  | 'createConnection'
  | 'updateConnection'
  | 'testConnection'
  | 'getMirror'
  | 'authorizeConnection'
  | 'completeConnection'
  | 'deleteConnection'
  | 'createWorkspace'
  | 'updateWorkspace'
  | 'pauseWorkspace'
  | 'resumeWorkspace'
  | 'deleteWorkspace'

/** What a key's scope must name: `admin` covers administration, whatever its effect, and `operator` the workspaces themselves. */
export type Tier = 'read' | 'write' | 'delete' | 'admin' | 'operator'

export const TIERS = ['read', 'write', 'delete', 'admin', 'operator'] as const satisfies readonly Tier[]

/** Those of a workspace's own admins; `operator` is for admins of the first workspace alone. */
export const WORKSPACE_TIERS = TIERS.filter((tier) => tier !== 'operator')

interface Spec<Name extends string, Method extends string, I extends TSchema, O extends TSchema> {
  readonly name: Name
  /** Where the SDK has it: `leads.create`. */
  readonly method: Method
  readonly record: RecordType
  /** The record types of drafts inside the input, by the members that have them. */
  readonly nested?: { readonly [member: string]: RecordType }
  readonly verb: Verb
  readonly effect: Effect
  /** Both people and agents choose the operation by this sentence. */
  readonly summary: string
  readonly description?: string
  readonly input: I
  readonly output: O
  /** Error codes particular to the operation; those of every call are added. */
  readonly errors?: readonly ErrorCode[]
  readonly example: Static<I>
  /** Beyond the 27 of the source document. */
  readonly extension?: boolean
  /** Whether it is for admins, or for operators alone. */
  readonly administration?: boolean | 'operator'
  /** The member of the answer that is shown once and never stored. */
  readonly shownOnce?: string
  /** Sends a request to a third party although it writes nothing, so that it has no dry run. */
  readonly sends?: boolean
  /** Has to be confirmed always, whatever the key: nothing can take it back. */
  readonly confirmed?: boolean
}

export interface Operation<Name extends string = string, Method extends string = string, I extends TSchema = TSchema, O extends TSchema = TSchema> {
  readonly id: string
  readonly name: Name
  readonly method: Method
  readonly record: RecordType
  readonly nested: { readonly [member: string]: RecordType }
  readonly verb: Verb
  readonly effect: Effect
  readonly tier: Tier
  readonly summary: string
  readonly description: string
  readonly input: I
  readonly output: O
  readonly errors: readonly ErrorCode[]
  readonly example: Static<I>
  readonly extension: boolean
  readonly shownOnce: string | undefined
  readonly sends: boolean
  readonly confirmed: boolean
}

const ALWAYS: readonly ErrorCode[] = [
  'invalid_input',
  'unauthenticated',
  'forbidden',
  'too_large',
  'too_expensive',
  'rate_limited',
  'platform_unavailable',
  'internal',
]
/** For writes: the idempotency key was used with another input, belongs to a running call, or wrote a record that has been erased. */
const WRITES: readonly ErrorCode[] = ['conflict', 'in_progress', 'not_found', 'unsupported']
/** For searches: a filter names a field that the platform does not have. */
const SEARCHES: readonly ErrorCode[] = ['unsupported']

/** Declares one operation. Transports, docs and clients are derived from this object. */
export function operation<const Name extends string, const Method extends string, I extends TSchema, O extends TSchema>(
  spec: Spec<Name, Method, I, O>,
): Operation<Name, Method, I, O> {
  const tier: Tier =
    spec.administration === 'operator'
      ? 'operator'
      : spec.administration
        ? 'admin'
        : spec.effect === 'create' || spec.effect === 'update'
          ? 'write'
          : spec.effect
  return {
    id: fold(spec.name),
    name: spec.name,
    method: spec.method,
    record: spec.record,
    nested: spec.nested ?? {},
    verb: spec.verb,
    effect: spec.effect,
    tier,
    summary: spec.summary,
    description: spec.description ? `${spec.summary} ${spec.description}` : spec.summary,
    input: spec.input,
    output: spec.output,
    errors: [
      ...new Set([
        ...ALWAYS,
        ...(spec.effect === 'read' ? [] : WRITES),
        ...(searches(spec) && spec.record.owned && !spec.administration ? SEARCHES : []),
        ...(spec.errors ?? []),
      ]),
    ],
    example: spec.example,
    extension: spec.extension ?? false,
    shownOnce: spec.shownOnce,
    sends: spec.sends ?? false,
    confirmed: spec.confirmed ?? false,
  }
}

/** Whether an operation takes Filters. */
export const searches = ({ verb }: Pick<Operation, 'verb'>): boolean => verb === 'getMany' || verb === 'getSummary'

/** Whether an operation can delete something, and so may have to be confirmed. Undoing a create deletes the record. */
export const isDestructive = ({ effect, verb }: Pick<Operation, 'effect' | 'verb'>): boolean => effect === 'delete' || verb === 'undoChange'

/** Whether an operation shows a secret or is about what is kept with secrets: it is no step of a workflow, which others may read. */
export const handlesSecrets = ({ shownOnce, record }: Pick<Operation, 'shownOnce' | 'record'>): boolean =>
  shownOnce !== undefined || record.name === 'Connection'

/** Whether only a person may decide on it: no agent is offered it, since what it reads can be written to make it do so. */
export const isForPeople = ({ verb }: Pick<Operation, 'verb'>): boolean => PEOPLES.includes(verb)

const PEOPLES: readonly Verb[] = ['allowPlan', 'refusePlan', 'eraseRecord']

/**
 * Whether an operation changes something that is there, and so has to be confirmed where updates are. What a person decides on is itself such a decision, and a
 * plan of what handles secrets would show them.
 */
export const overwrites = (operation: Pick<Operation, 'effect' | 'verb' | 'shownOnce' | 'record'>): boolean =>
  operation.effect === 'update' && !isDestructive(operation) && !isForPeople(operation) && !handlesSecrets(operation)

/** An id as an input. */
export const idInput = (what: string) =>
  Type.Unsafe<string>({ type: 'string', format: 'text', minLength: 1, maxLength: LIMITS.text, description: `The id of the ${what}.` })

export const ifRevision = Type.Optional(Type.Integer({ minimum: 1, description: 'Refuses with `conflict` unless the record still has this Revision.' }))

const paging = {
  Limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.page, description: `Records in a page, ${LIMITS.defaultPage} by default.` })),
  Cursor: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: LIMITS.cursor,
      description: 'The NextCursor of the page before; the other inputs must stay the same.',
    }),
  ),
}

/** The names a schema has members for; any text where it is open. */
type Names<S extends TSchema> = Exclude<Extract<keyof Static<S>, string>, 'any' | 'not' | `${string}.${string}`>

/** What a Get Many can be ordered by: the same fields as its filters. */
type Order<Name extends string> = Name | `${Name} asc` | `${Name} desc`

/** The inputs of every Get Many: Filters as in the source document, and the optional ones that page, order and narrow. */
export function manyInput<F extends TSchema, S extends TSchema>({ filters, ...type }: { readonly filters: F; readonly stored: S } & Partial<RecordType>) {
  return Type.Object(
    {
      Filters: Type.Optional(filters),
      ...paging,
      OrderBy: Type.Optional(
        Type.Unsafe<Order<Names<F>>>({
          type: 'string',
          format: 'text',
          maxLength: LIMITS.text,
          description: 'A field, then `asc` or `desc`: `Amount desc`. Newest first by default.',
        }),
      ),
      Select: Type.Optional(
        Type.Array(Type.Unsafe<Names<S>>({ type: 'string', format: 'text', maxLength: LIMITS.text }), {
          maxItems: LIMITS.list,
          description: 'The fields to answer with; the id is always included.',
        }),
      ),
      ...(type.owned && type.fields ? include(type as Pick<RecordType, 'fields'>) : NO_INCLUDE),
      ...(type.inStore ? NO_FRESH : fresh),
    },
    { additionalProperties: false },
  )
}

/** The input by which a read chooses between a CRM and its mirror. */
export const fresh = {
  Fresh: Type.Optional(
    Type.Boolean({
      description:
        'On a CRM: true asks the CRM itself, false its mirror. Lists, summaries and searches ask the mirror by default, whose answers say by AsOf how old they are.',
    }),
  ),
}

const NO_FRESH = {} as typeof fresh

/** What an answer from a mirror says of its age. */
export const asOf = {
  AsOf: Type.Optional(Type.Unsafe<string>({ type: 'string', format: 'date-time', description: 'Only from a mirror: it has all changes up to then.' })),
}

/** The schema of `Include`: the names of the records behind a type's references. */
export const includeSchema = (type: Pick<RecordType, 'fields'>) =>
  Type.Array(Type.Unsafe<string>({ type: 'string', enum: referencesOf(type).map(({ name }) => name) }), {
    uniqueItems: true,
    description: 'The records behind references that are answered too, under these names.',
  })

const include = (type: Pick<RecordType, 'fields'>) => ({ Include: Type.Optional(includeSchema(type)) })

const NO_INCLUDE = {} as ReturnType<typeof include>

/** The input that names one record, and those behind its references that are wanted too. */
export function getInput<Id extends string>(type: { readonly id: Id } & Pick<RecordType, 'fields'>, what: string) {
  return Type.Object(
    { [type.id]: idInput(what), ...include(type), ...fresh } as { [K in Id]: ReturnType<typeof idInput> } & ReturnType<typeof include> & typeof fresh,
    {
      additionalProperties: false,
    },
  )
}

/** The inputs that page through the notes or comments of a record. */
export function childrenInput<Id extends string>(id: Id, what: string) {
  return Type.Object({ [id]: idInput(what), ...paging, ...fresh } as { [K in Id]: ReturnType<typeof idInput> } & typeof paging & typeof fresh, {
    additionalProperties: false,
  })
}

const NEXT_CURSOR = Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Null on the last page.' })

export function pageOf<R extends TSchema>(record: R) {
  return Type.Object({ Records: Type.Array(record), NextCursor: NEXT_CURSOR })
}

/** A page of records that may be kept in a CRM, and so be answered from a mirror. */
export function datedPageOf<R extends TSchema>(record: R) {
  return Type.Object({ Records: Type.Array(record), NextCursor: NEXT_CURSOR, ...asOf })
}
