import { basename, extname } from 'node:path'
import { CrmError } from '../../contract/errors.ts'
import type { FieldKind } from '../../contract/fields.ts'
import { nearest } from '../../contract/names.ts'
import type { Operation } from '../../contract/operation.ts'
import { OPERATIONS, quote, RECORD_TYPES, STORE_TYPES } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { type Extending, operationOn, typeOn } from '../../core/call/extension.ts'
import { bare } from './column-names.ts'

/** What of a row is written by what: by the create itself, by an update right after it, or hung on the record. */
export type Step = 'create' | 'update' | 'attach'

/** A field that a column can be written to. */
export interface Slot {
  readonly name: string
  readonly label: string
  readonly kind: FieldKind
  readonly step: Step
  readonly required: boolean
  /** Defined by the users of the workspace. */
  readonly isOwn?: boolean
}

/** What rows become. */
export interface Destination {
  readonly type: RecordType
  readonly create: Operation
  readonly update: Operation | undefined
  readonly attach: Operation | undefined
  readonly slots: readonly Slot[]
}

const DESTINATIONS: readonly Destination[] = RECORD_TYPES.filter(({ name }) => !STORE_TYPES.includes(name)).flatMap((type) => {
  const ofType = (...verbs: string[]) => OPERATIONS.find(({ record, verb }) => record.name === type.name && verbs.includes(verb))
  const create = ofType('create', 'createCustom')
  return create ? [{ type, create, update: ofType('update'), attach: ofType('attach'), slots: slotsOf(type, create, ofType('update'), ofType('attach')) }] : []
})

function slotsOf(type: RecordType, create: Operation, update: Operation | undefined, attach: Operation | undefined): Slot[] {
  const { properties, required = [] } = create.input as unknown as { properties: object; required?: readonly string[] }
  const slot = (name: string, step: Step): Slot => {
    const field = type.fields[name]
    return { name, label: field?.label ?? name, kind: field?.kind ?? 'longText', step, required: step === 'create' && required.includes(name) }
  }
  // The fields of a custom object are its user's own.
  const drafted = Object.keys(properties).filter((name) => Object.hasOwn(type.fields, name))
  const later = update ? Object.keys(type.fields).filter((name) => type.fields[name]?.access === 'write' && !drafted.includes(name)) : []
  const hung = attach
    ? type.hanging.flatMap(({ type: name }) => (Object.hasOwn((attach.input as unknown as { properties: object }).properties, name) ? [name] : []))
    : []
  return [...drafted.map((name) => slot(name, 'create')), ...later.map((name) => slot(name, 'update')), ...hung.map((name) => slot(name, 'attach'))]
}

/** The same where there are more fields than the contract has. */
export function destinationOn(platform: Extending, { type, create, update, attach }: Destination): Destination {
  const on = (operation: Operation | undefined) => operation && operationOn(platform, operation)
  const extended = { type: typeOn(platform, type), create: operationOn(platform, create), update: on(update), attach: on(attach) }
  return { ...extended, slots: slotsOf(extended.type, extended.create, extended.update, extended.attach) }
}

/**
 * The destination with this name, or the one that the file's name or its columns speak for. `fits` tells how many of the columns a destination
 * has fields for, and undefined where it would lack one that it needs.
 */
export function destinationOf(
  named: string | undefined,
  path: string,
  columns: readonly string[],
  fits: (destination: Destination) => number | undefined,
): Destination {
  if (named !== undefined) return byName(named)
  const name = basename(path, extname(path))
  const words = [name, ...name.split(/[^A-Za-z]+/)].map(bare)
  // Only records of custom objects say which object they are of.
  const isCustom = columns.some((column) => bare(column) === 'objectname')
  const said = DESTINATIONS.filter((one) => (isCustom ? one.type.userDefined : namesOf(one).some((known) => words.includes(known))))
  const [only, ...others] = said.length === 1 ? said : bestOf(columns.length, fits)
  if (only && others.length === 0) return only
  const shown = columns.slice(0, 12).map(quote).join(', ')
  throw new CrmError('invalid_input', `Neither the name of ${path} nor its columns say what its rows are: ${shown}.`, {
    hint: `Say it with --type: ${DESTINATIONS.map(({ type }) => type.name).join(', ')}.`,
  })
}

/** Those that have fields for the most columns, and for more than half of them. */
function bestOf(columns: number, fits: (destination: Destination) => number | undefined): Destination[] {
  const fitting = DESTINATIONS.filter(({ type }) => !type.userDefined).map((one) => ({ one, count: fits(one) ?? 0 }))
  const best = Math.max(...fitting.map(({ count }) => count))
  return best * 2 > columns ? fitting.filter(({ count }) => count === best).map(({ one }) => one) : []
}

const namesOf = ({ type }: Destination) => [bare(type.name), bare(type.plural)]

function byName(named: string): Destination {
  const found = DESTINATIONS.find((one) => namesOf(one).includes(bare(named)))
  if (found) return found
  const names = DESTINATIONS.map(({ type }) => type.name)
  const [near] = nearest(named, names)
  throw new CrmError('invalid_input', `Records of type ${quote(named)} cannot be imported.`, {
    hint: `--type is one of ${names.join(', ')}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
  })
}
