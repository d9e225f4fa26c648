import assert from 'node:assert/strict'
import { type Batch, batchOutput } from '../contract/batch.ts'
import type { Crm } from '../contract/client/client.ts'
import type { CallOptions } from '../contract/client/transport.ts'
import type { Operation } from '../contract/operation.ts'
import { findOperation, OPERATIONS } from '../contract/operations.ts'
import { EVENT_TYPES, type Event } from '../contract/records/event.ts'

type Answer = { readonly [member: string]: unknown }
type Invoke = (input?: unknown, options?: CallOptions) => Promise<unknown>

interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: { readonly [name: string]: Schema }
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

/** The same client, with every answer held against the contract: its members, no more and no fewer, and their types and forms. */
export function watched(crm: Crm): Crm {
  const inner = crm as unknown as { readonly [group: string]: Invoke & { readonly [verb: string]: Invoke } }
  const client: { [group: string]: unknown } = {
    call: async (name: string, input?: unknown, options?: CallOptions) => {
      const answer = await crm.call(name, input, options)
      return held(findOperation(name), input, answer, options)
    },
    batch: async (batch: Batch, options?: CallOptions) => {
      const answer = await crm.batch(batch, options)
      matches(batchOutput as Schema, answer, 'batch')
      assert.equal(answer.Results.length, batch.Operations.length, 'a batch answers each of its calls')
      for (const [at, { Status, Result, Error: problem }] of answer.Results.entries()) {
        const { Operation, Input } = batch.Operations[at] as Batch['Operations'][number]
        assert.equal(Status === 200 ? problem : Result, undefined, `call ${at} has a Result or an Error`)
        if (Status === 200) held(findOperation(Operation), Input, Result, options)
        else assert.equal(problem?.status, Status, `the problem of call ${at}`)
      }
      return JSON.parse(JSON.stringify(answer)) as typeof answer
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

/** The answer, once it is what the contract says, as it would travel: whatever carries it, equal answers compare as equal. */
function held(operation: Operation, input: unknown, answer: unknown, options?: CallOptions): unknown {
  if (options?.dryRun && operation.effect !== 'read') matches(DRY_RUN, answer, `the dry run of ${operation.id}`)
  else holds(operation, input, answer)
  return JSON.parse(JSON.stringify(answer))
}

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

function holds(operation: Operation, input: unknown, answer: unknown): void {
  const schema = operation.output as Schema
  const selects = Array.isArray((input as Answer | undefined)?.Select)
  if (!selects) {
    matches(schema, answer, operation.id)
    if (operation.verb === 'getEvents')
      for (const event of (answer as { Events: Event[] }).Events) matches(EVENTS.get(event.Type) ?? { enum: [] }, event, `${event.Type} ${event.EventID}`)
    return
  }
  const { Records, ...rest } = answer as { Records: readonly Answer[] }
  assert.deepEqual(Object.keys(rest), ['NextCursor'], operation.id)
  const stored = schema.properties?.Records?.items ?? {}
  Records.forEach((record, at) => {
    const properties = Object.fromEntries(Object.keys(record).map((name) => [name, stored.properties?.[name] ?? { enum: [] }]))
    matches({ ...stored, properties }, record, `${operation.id}.Records[${at}]`)
    assert.equal(typeof record[operation.record.id], 'string', `${operation.id} answers with the id whatever was selected`)
  })
}

function matches(schema: Schema, value: unknown, path: string): void {
  if (schema.anyOf) matches(schema.anyOf.find((one) => fits(one, value)) ?? { enum: [] }, value, path)
  assert.ok(fits(schema, value), `${path} is ${typeOf(value)}, not ${schema.type}`)
  if (value === null) return
  if (schema.enum) assert.ok(schema.enum.includes(value), `${path} is not one of ${schema.enum.join(', ')}`)
  if (schema.const !== undefined) assert.equal(value, schema.const, path)
  if (schema.minimum !== undefined) assert.ok(Number(value) >= schema.minimum, `${path} is below ${schema.minimum}`)
  const form = schema.format === undefined ? undefined : FORMS[schema.format]
  if (form) assert.match(String(value), form, path)
  if (Array.isArray(value)) for (const [at, item] of value.entries()) matches(schema.items ?? {}, item, `${path}[${at}]`)
  else if (typeof value === 'object') membersMatch(schema, value as Answer, path)
}

function fits({ type }: Schema, value: unknown): boolean {
  return type === undefined || [type].flat().includes(typeOf(value)) || (typeOf(value) === 'integer' && [type].flat().includes('number'))
}

function membersMatch(schema: Schema, value: Answer, path: string): void {
  const properties = schema.properties
  if (properties) {
    const required = schema.required ?? []
    const expected = Object.keys(properties).filter((name) => required.includes(name) || Object.hasOwn(value, name))
    assert.deepEqual(Object.keys(value).sort(), expected.sort(), `the members of ${path}`)
  }
  for (const [name, member] of Object.entries(value)) {
    const declared = properties && Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties
    if (typeof declared === 'object') matches(declared, member, `${path}.${name}`)
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}
