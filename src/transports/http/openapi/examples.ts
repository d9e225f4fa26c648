import type { Operation } from '../../../contract/operation.ts'
import { OPERATIONS } from '../../../contract/operations.ts'
import type { RecordType } from '../../../contract/record.ts'
import type { Json } from './schemas.ts'

type Known = { readonly [name: string]: Json }

interface Schema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly const?: Json
  readonly enum?: readonly Json[]
  readonly format?: string
  readonly examples?: readonly Json[]
  readonly minimum?: number
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly items?: Schema
}

export const ID = '0k6v2m8q4d9x1c7b5n3t'
export const MOMENT = '2026-11-15T09:30:00.000Z'

/** Values that the type alone does not suggest. */
const BY_NAME: Known = {
  Month: '2026-11',
  FirstCreated: MOMENT,
  LastCreated: MOMENT,
  TotalAmount: 1200.5,
  AverageAmount: 1200.5,
  WinRate: 0.5,
  Note: 'Asked for a quote by Friday.',
  Comment: 'A new deck is on its way.',
  Scopes: ['read', 'write'],
  Retired: false,
  Key: 'shown here and never again',
  Secret: 'whsec_shown-here-and-never-again',
  Transport: 'http',
  Operation: 'update_lead',
  RecordType: 'Lead',
  Outcome: 'ok',
  EventType: 'lead.updated',
  Number: 42,
  RequestID: '5f0c2d7e9a41-1',
  LastError: 'The target answered 500.',
  LastStatus: 500,
  Workspace: 'default',
  NextCursor: null,
}

/** Answers that are not records. */
const BY_OPERATION: Known = {
  undo_change: { UndoneChangeID: ID, RecordType: 'Lead', RecordID: ID, Record: null },
  describe: {
    Platform: 'sqlite',
    RecordTypes: [
      {
        Name: 'Opportunity',
        Summary: 'A deal that may be won.',
        IDField: 'OpportunityID',
        Fields: [
          {
            Name: 'Amount',
            Type: 'money',
            Label: 'Amount',
            Description: 'Money: up to 15 digits, at most 4 of them decimals.',
            Required: false,
            Writable: true,
            MaxLength: null,
            AllowedValues: null,
            SuggestedValues: null,
            RefersTo: null,
            Unique: false,
            Own: false,
            Operators: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'],
          },
        ],
        Operations: ['create_opportunity', 'get_opportunity'],
      },
    ],
    CustomObjects: [],
  },
  get_mirror: {
    Watched: true,
    Reads: 'crm',
    Complete: false,
    AsOf: null,
    IntervalSeconds: 60,
    RequestsPerDay: 20_000,
    RequestsToday: 214,
    LookedDate: MOMENT,
    FailedDate: null,
    ExhaustedDate: null,
    Reason: null,
    Advice: null,
    RecordTypes: [
      { RecordType: 'Company', Complete: true, Records: 810, Total: null, AsOf: MOMENT },
      { RecordType: 'Lead', Complete: false, Records: 20_000, Total: 100_000, AsOf: null },
    ],
  },
}

const createdExamples = () =>
  OPERATIONS.filter(({ effect, verb }) => effect === 'create' || verb === 'link').map((each) => [each.output, shown(each.example as Known)] as const)

/** An example of an operation's answer, with the values of its own example and of the one that creates the record. */
export function answerExample(operation: Operation): Json {
  const created = OPERATIONS.find((each) => each.record.name === operation.record.name && each.effect === 'create')
  const example = operation.example as Known
  const given = BY_OPERATION[operation.id]
  if (given !== undefined) return given
  const changes = (example.FieldsToUpdate ?? {}) as Known
  const known = { UpdatedFields: Object.keys(changes), ...(created && shown(created.example as Known)), ...shown(example), ...changes }
  return sample(operation.output as Schema, '', known, new Map<unknown, Known>(createdExamples()))
}

/** An example of a record, or of one attached to it, with the values of the example that creates it; of the first one where none does. */
export function recordExample(type: RecordType, schema: unknown = type.stored): { readonly [field: string]: Json } {
  const about = OPERATIONS.filter((each) => each.record.name === type.name)
  const created = about.find(({ effect }) => effect === 'create') ?? about[0]
  return sample(schema as Schema, '', created ? shown(created.example as Known) : {}, new Map<unknown, Known>(createdExamples())) as Known
}

/** The input of a create as the answer shows it, where values of user-defined fields are a member of their own. */
function shown(example: Known): Known {
  const { Fields: drafts, ...rest } = example
  if (drafts === undefined) return rest
  const fields = Object.entries(drafts as { [name: string]: Known })
  return {
    ...rest,
    Fields: Object.fromEntries(fields.map(([name, { Value: _, ...definition }]) => [name, definition])),
    Values: Object.fromEntries(fields.map(([name, { Value = null }]) => [name, Value])),
  }
}

function sample(schema: Schema, name: string, known: Known, created: ReadonlyMap<unknown, Known>): Json {
  const types = [schema.type].flat()
  if (schema.const !== undefined) return schema.const
  if (types.includes('object') && schema.properties) {
    const values = created.get(schema) ?? known
    const members = Object.entries(schema.properties).filter(([member]) => schema.required?.includes(member))
    return Object.fromEntries(members.map(([member, each]) => [member, sample(each, member, values, created)]))
  }
  const given = known[name] ?? BY_NAME[name]
  if (given !== undefined && fits(given, types)) return given
  if (schema.examples?.[0] !== undefined) return schema.examples[0]
  if (types.includes('array')) return schema.items ? [sample(schema.items, '', known, created)] : []
  if (types.includes('null')) return null
  if (types.includes('object')) return {}
  if (types.includes('integer') || types.includes('number')) return 1
  if (types.includes('boolean')) return true
  if (schema.enum?.[0] !== undefined) return schema.enum[0]
  if (schema.format === 'date-time') return MOMENT
  if (schema.format === 'date') return '2026-12-31'
  return name.endsWith('ID') ? ID : name || 'text'
}

function fits(value: Json, types: readonly (string | undefined)[]): boolean {
  if (value === null) return types.includes('null')
  if (Array.isArray(value)) return types.includes('array')
  if (typeof value === 'number') return types.includes('number') || (Number.isInteger(value) && types.includes('integer'))
  return types.includes(typeof value)
}
