import assert from 'node:assert/strict'
import { type Batch, batchOutput } from '../contract/batch.ts'
import type { Crm } from '../contract/client/client.ts'
import type { CallOptions } from '../contract/client/transport.ts'
import type { Operation } from '../contract/operation.ts'
import { findOperation, OPERATIONS, RECORD_TYPES } from '../contract/operations.ts'
import { EVENT_TYPES, type Event } from '../contract/records/event.ts'
import { includedIn } from '../contract/shapes.ts'
import { describedPlatform, typeOn } from '../core/call/extension.ts'

type Answer = { readonly [member: string]: unknown }
type Invoke = (input?: unknown, options?: CallOptions) => Promise<unknown>

type Properties = { readonly [name: string]: Schema }

interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Properties
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly anyOf?: readonly Schema[]
}

const FORMS: { readonly [format: string]: RegExp } = { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, date: /^\d{4}-\d\d-\d\d$/ }

/** The fields that a platform has beyond the contract, as `describe` tells of them; they can be described anew, since some are defined while the suite runs. */
export class FurtherFields {
  private readonly admins: readonly Crm[]
  /** Those that were retired are among them: images of the audit and of events go on showing them. */
  private readonly fields = new Map<string, Properties>()
  /** Memoised by the members of a schema, since every record of every answer is compared. */
  private known = new WeakMap<Properties, Properties>()

  constructor(...admins: readonly Crm[]) {
    this.admins = admins
  }

  async read(): Promise<void> {
    this.known = new WeakMap()
    for (const admin of this.admins) {
      const { Platform, RecordTypes } = await admin.describe({})
      const platform = describedPlatform({ Platform, RecordTypes })
      for (const type of RECORD_TYPES) {
        const extended = typeOn(platform, type)
        const included = extended === type ? {} : (includedIn(extended) as Properties)
        this.fields.set(type.name, { ...included, ...this.fields.get(type.name), ...propertiesOf(extended.stored as Schema) })
      }
    }
  }

  /** The schemas of a record's members, and those of the further fields of its type. What is no record has none. */
  of(members: Properties): Properties {
    const known = this.known.get(members)
    if (known) return known
    const all = this.withFurther(members)
    this.known.set(members, all)
    return all
  }

  private withFurther(members: Properties): Properties {
    const type = RECORD_TYPES.find((one) => one.owned && Object.keys(propertiesOf(one.stored as Schema)).every((name) => Object.hasOwn(members, name)))
    return { ...(type && this.fields.get(type.name)), ...members }
  }
}

const propertiesOf = ({ properties = {} }: Schema) => properties

/** The same client, with every answer held against the contract: its members, no more and no fewer, and their types and forms. */
export function watched(crm: Crm, further: FurtherFields): Crm {
  const held: Held = async (operation, input, answer, options) => {
    try {
      return compared(operation, input, answer, further, options)
    } catch (error) {
      if (!(error instanceof assert.AssertionError)) throw error
      await further.read()
      return compared(operation, input, answer, further, options)
    }
  }
  const inner = crm as unknown as { readonly [group: string]: Invoke & { readonly [verb: string]: Invoke } }
  const client: { [group: string]: unknown } = {
    call: async (name: string, input?: unknown, options?: CallOptions) => {
      const answer = await crm.call(name, input, options)
      return held(findOperation(name), input, answer, options)
    },
    batch: async (batch: Batch, options?: CallOptions) => {
      const answer = await crm.batch(batch, options)
      matches(batchOutput as Schema, answer, 'batch', further)
      assert.equal(answer.Results.length, batch.Operations.length, 'a batch answers each of its calls')
      for (const [at, { Status, Result, Error: problem }] of answer.Results.entries()) {
        const { Operation, Input } = batch.Operations[at] as Batch['Operations'][number]
        assert.equal(Status === 200 ? problem : Result, undefined, `call ${at} has a Result or an Error`)
        if (Status === 200) await held(findOperation(Operation), Input, Result, options)
        else assert.equal(problem?.status, Status, `the problem of call ${at}`)
      }
      return asTravelled(answer) as typeof answer
    },
  }
  for (const operation of OPERATIONS) {
    const [group, verb] = operation.method.split('.') as [string, string | undefined]
    const watch =
      (invoke: Invoke): Invoke =>
      async (input, options) => {
        const answer = await invoke(input, options)
        return held(operation, input, answer, options)
      }
    const member = inner[group]
    assert.ok(member, `The client has no ${group}.`)
    if (verb === undefined) client[group] = watch(member)
    else {
      const invoke = member[verb]
      assert.ok(invoke, `The client has no ${operation.method}.`)
      client[group] = { ...(client[group] as object | undefined), [verb]: watch(invoke) }
    }
  }
  return client as unknown as Crm
}

type Held = (operation: Operation, input: unknown, answer: unknown, options?: CallOptions) => Promise<unknown>

/** The answer, once it is what the contract says, as it would travel: whatever carries it, equal answers compare as equal. */
function compared(operation: Operation, input: unknown, answer: unknown, further: FurtherFields, options?: CallOptions): unknown {
  if (options?.dryRun && operation.effect !== 'read') matches(DRY_RUN, answer, `the dry run of ${operation.id}`, further)
  else holds(operation, input, answer, further)
  return asTravelled(answer)
}

/** Without the age of a mirror, which grows by itself. */
const asTravelled = (answer: unknown): unknown => JSON.parse(JSON.stringify(answer, (name, value) => (name === 'AsOf' ? undefined : value)))

const DRY_RUN: Schema = {
  type: 'object',
  properties: {
    DryRun: { const: true },
    WouldWrite: { type: 'object' },
    Difference: { type: 'object', additionalProperties: { type: 'object', properties: { From: {}, To: {} }, required: ['From', 'To'] } },
  },
  required: ['DryRun', 'WouldWrite', 'Difference'],
}

const EVENTS = new Map(EVENT_TYPES.map(({ type, schema }) => [type, schema as Schema]))

function holds(operation: Operation, input: unknown, answer: unknown, further: FurtherFields): void {
  const schema = operation.output as Schema
  const { Select, Fresh } = (input ?? {}) as Answer
  if (Fresh === true) assert.equal((answer as Answer).AsOf, undefined, `${operation.id} is fresh`)
  const selects = Array.isArray(Select)
  if (!selects) {
    matches(schema, answer, operation.id, further)
    if (operation.verb === 'getEvents')
      for (const event of (answer as { Events: Event[] }).Events)
        matches(EVENTS.get(event.Type) ?? { enum: [] }, event, `${event.Type} ${event.EventID}`, further)
    return
  }
  const { Records, AsOf: _asOf, ...rest } = answer as { Records: readonly Answer[]; AsOf?: string }
  assert.deepEqual(Object.keys(rest), ['NextCursor'], operation.id)
  const stored = schema.properties?.Records?.items ?? {}
  const members = further.of(propertiesOf(stored))
  Records.forEach((record, at) => {
    const properties = Object.fromEntries(Object.keys(record).map((name) => [name, members[name] ?? { enum: [] }]))
    matches({ ...stored, properties }, record, `${operation.id}.Records[${at}]`, further)
    assert.equal(typeof record[operation.record.id], 'string', `${operation.id} answers with the id whatever was selected`)
  })
}

function matches(schema: Schema, value: unknown, path: string, further: FurtherFields): void {
  if (schema.anyOf) matches(schema.anyOf.find((one) => fits(one, value)) ?? { enum: [] }, value, path, further)
  // Messages are written for what is wrong only: there are millions of members in a run.
  if (!fits(schema, value)) assert.fail(`${path} is ${typeOf(value)}, not ${schema.type}`)
  if (value === null) return
  if (schema.enum && !schema.enum.includes(value)) assert.fail(`${path} is not one of ${schema.enum.join(', ')}`)
  if (schema.const !== undefined) assert.equal(value, schema.const, path)
  if (schema.minimum !== undefined) assert.ok(Number(value) >= schema.minimum, `${path} is below ${schema.minimum}`)
  const form = schema.format === undefined ? undefined : FORMS[schema.format]
  if (form) assert.match(String(value), form, path)
  if (Array.isArray(value)) for (const [at, item] of value.entries()) matches(schema.items ?? {}, item, `${path}[${at}]`, further)
  else if (typeof value === 'object') membersMatch(schema, value as Answer, path, further)
}

function fits({ type }: Schema, value: unknown): boolean {
  if (type === undefined) return true
  const [found, types] = [typeOf(value), typeof type === 'string' ? [type] : type]
  return types.includes(found) || (found === 'integer' && types.includes('number'))
}

function membersMatch(schema: Schema, value: Answer, path: string, further: FurtherFields): void {
  const properties = schema.properties && further.of(schema.properties)
  if (properties) {
    const required = schema.required ?? []
    const isExact = Object.keys(value).every((name) => Object.hasOwn(properties, name)) && required.every((name) => Object.hasOwn(value, name))
    const expected = () => Object.keys(properties).filter((name) => required.includes(name) || Object.hasOwn(value, name))
    if (!isExact) assert.deepEqual(Object.keys(value).sort(), expected().sort(), `the members of ${path}`)
  }
  for (const [name, member] of Object.entries(value)) {
    const declared = properties && Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties
    if (typeof declared === 'object') matches(declared, member, `${path}.${name}`, further)
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}
