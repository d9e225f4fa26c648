import { LIMITS, VISIBLE } from '../../contract/limits.ts'
import { isDestructive, type Operation } from '../../contract/operation.ts'

/** Arguments of a tool beside the input of its operation: options of the call. */
export interface OptionArguments {
  /** The whole answer, as over HTTP, instead of the compact one. */
  readonly Detail?: 'full'
  readonly IdempotencyKey?: string
  readonly DryRun?: boolean
  readonly ConfirmationToken?: string
}

const word = { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKey, pattern: VISIBLE } as const

const ALWAYS = { Detail: { type: 'string', enum: ['full'] } } as const
const WRITES = { IdempotencyKey: word, DryRun: { type: 'boolean' } } as const
const CONFIRMED = { ConfirmationToken: word } as const

export function optionSchemas(operation: Operation): { readonly [name: string]: { readonly type: string } } {
  return { ...(operation.effect !== 'read' && WRITES), ...(isDestructive(operation) && CONFIRMED), ...ALWAYS }
}
