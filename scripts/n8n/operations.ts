import { type Family, FIELD_KINDS } from '../../src/contract/fields.ts'
import { handlesSecrets, isDestructive, isForPeople, type Operation } from '../../src/contract/operation.ts'
import { OPERATIONS, RECORD_TYPES, STORE_TYPES } from '../../src/contract/operations.ts'
import type { RecordType } from '../../src/contract/record.ts'
import { EXTENSIBLE } from '../../src/contract/records/extensible.ts'
import { filterable } from './collections.ts'
import { type Kind, kindOf, type Schema } from './parameters.ts'

/** Inputs with special controls in n8n; all others are plain values. */
const FORMED: ReadonlySet<string> = new Set(['Filters', 'FieldsToUpdate', 'Fields', 'Limit', 'Cursor', 'After', 'OrderBy', 'Select', 'IfRevision'])

export interface Offered {
  readonly resource: string
  readonly verb: string
  readonly operation: Operation
  readonly inputs: { readonly [name: string]: Schema }
  readonly required: readonly string[]
  /** The inputs that are plain values. */
  readonly values: readonly string[]
  /** Whether records can have fields beyond the contract. */
  readonly open: boolean
  /** Whether it writes fields that the workspace has beyond the contract, which its description lists. */
  readonly mapped: boolean
}

/**
 * The operations of the node: all but those whose answer contains a secret, which n8n would store with the execution. Grouped as in the
 * client.
 */
export const OFFERED: readonly Offered[] = (OPERATIONS as readonly Operation[]).filter((operation) => !handlesSecrets(operation)).map(offer)

function offer(operation: Operation): Offered {
  const [verb = '', group] = operation.method.split('.').reverse()
  const { properties, required = [] } = operation.input as unknown as { properties: { [name: string]: Schema }; required?: string[] }
  return {
    resource: resourceOf(group),
    verb,
    operation,
    inputs: properties,
    required,
    values: Object.keys(properties).filter((name) => !FORMED.has(name)),
    open: !STORE_TYPES.includes(operation.record.name),
    mapped: EXTENSIBLE.includes(operation.record) && ['create', 'upsert', 'update'].includes(operation.verb),
  }
}

/** A group of the client in the singular; operations without a group are in `schema`. */
function resourceOf(group: string | undefined): string {
  if (group === undefined) return 'schema'
  const record = RECORD_TYPES.find(({ plural }) => plural === group)
  const name = record?.name ?? group.replace(/s$/, '')
  return name.charAt(0).toLowerCase() + name.slice(1)
}

interface Entry {
  readonly id: string
  readonly writes: boolean
  readonly takesAway?: true
  readonly forPeople?: true
  readonly record: string
  readonly values: { readonly [name: string]: Kind }
  readonly required: readonly string[]
  readonly forms: readonly string[]
}

/** The table from which the node builds inputs. */
export function operationTable(): { readonly [resource: string]: { readonly [verb: string]: Entry } } {
  const table: { [resource: string]: { [verb: string]: Entry } } = {}
  for (const { resource, verb, operation, inputs, required, values } of OFFERED) {
    table[resource] ??= {}
    table[resource][verb] = {
      id: operation.id,
      writes: operation.effect !== 'read',
      ...(isDestructive(operation) && { takesAway: true }),
      ...(isForPeople(operation) && { forPeople: true }),
      record: operation.record.name,
      values: Object.fromEntries(values.map((name) => [name, kindOf(inputs[name] ?? {})])),
      required: required.filter((name) => values.includes(name)),
      forms: Object.keys(inputs).filter((name) => FORMED.has(name)),
    }
  }
  return table
}

/** How values of each kind of field are read. */
export const kindTable = (): { readonly [kind: string]: Family | 'json' } =>
  Object.fromEntries(Object.entries(FIELD_KINDS).map(([kind, family]) => [kind, family ?? 'json']))

/** The kinds of the fields of each record, for filters and updates. */
export function fieldTable(): { readonly [record: string]: { readonly [field: string]: Kind } } {
  const records = new Map<string, RecordType>(OFFERED.map(({ operation }) => [operation.record.name, operation.record]))
  return Object.fromEntries(
    [...records].map(([name, record]) => {
      const lists = Object.entries(record.fields).flatMap(([field, { kind, access, schema }]) =>
        kind === 'json' && access === 'write' ? [[field, kindOf(schema as Schema)] as const] : [],
      )
      return [name, Object.fromEntries([...filterable(record), ...lists])]
    }),
  )
}
