import { LIMITS, VISIBLE } from '../../contract/limits.ts'
import { isDestructive, type Operation, overwrites } from '../../contract/operation.ts'

/** Arguments of a tool beside the input of its operation: options of the call. */
export interface OptionArguments {
  /** The whole answer, as over HTTP, instead of the compact one. */
  readonly Detail?: 'full'
  /** The tokens that the answer may have. */
  readonly Budget?: number
  readonly IdempotencyKey?: string
  readonly DryRun?: boolean
  readonly ConfirmationToken?: string
}

const word = { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKey, pattern: VISIBLE } as const

/** Tokens of an answer: at least those of one short record, at most more than any page has. */
export const BUDGET = { default: 4000, min: 200, max: 10_000_000 } as const

const ALWAYS = { Detail: { type: 'string', enum: ['full'] }, Budget: { type: 'integer', minimum: BUDGET.min, maximum: BUDGET.max } } as const
const WRITES = { IdempotencyKey: word, DryRun: { type: 'boolean' } } as const
const CONFIRMED = { ConfirmationToken: word } as const

/** The options of a write that may have to be confirmed. */
export const DELETE_OPTIONS = { ...WRITES, ...CONFIRMED, ...ALWAYS } as const

/** The options of a call. A field that an account has called as one of them is the field. */
export function optionSchemas(operation: Operation): { readonly [name: string]: { readonly type: string } } {
  const { properties } = operation.input as unknown as { properties: object }
  const options = { ...(operation.effect !== 'read' && WRITES), ...((isDestructive(operation) || overwrites(operation)) && CONFIRMED), ...ALWAYS }
  return Object.fromEntries(Object.entries(options).filter(([name]) => !Object.hasOwn(properties, name)))
}

/**
 * Arguments that mean the same for every tool that takes them. A list has each of them once, with the first of those tools, as it has the fields of a record;
 * the others take them too.
 */
const SHARED = new Set([
  ...['Limit', 'Cursor', 'OrderBy', 'Select', 'Include', 'Fresh', 'Detail', 'Budget'],
  ...['IfRevision', 'IdempotencyKey', 'DryRun', 'ConfirmationToken', 'MatchBy'],
])

/** The names of all arguments of a tool, in the order in which they are listed. */
export function argumentNames(operation: Operation): string[] {
  const { properties } = operation.input as unknown as { properties: object }
  return Object.keys({ ...properties, ...optionSchemas(operation) })
}

/** The first tool of a list that takes each of the shared arguments. */
export function sharedArguments(operations: readonly Operation[]): ReadonlyMap<string, string> {
  const taken = operations.flatMap((operation) => argumentNames(operation).map((name) => [name, operation.id] as const))
  return new Map(taken.filter(([name]) => SHARED.has(name)).reverse())
}

/** What charts take, and its answer, which an agent asks for by Filters; and what `batch` alone lists. */
export const UNLISTED: ReadonlySet<string> = new Set(['Forecast', 'Ages', 'OpenByAge', 'Atomic'])
