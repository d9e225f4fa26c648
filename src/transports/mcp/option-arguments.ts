import { LIMITS, VISIBLE } from '../../contract/limits.ts'
import { type Operation, takesAway } from '../../contract/operation.ts'

/** What a tool takes beside the input of its operation. */
export interface OptionArguments {
  /** All that HTTP would answer, instead of what an agent needs. */
  readonly Detail?: 'full'
  readonly IdempotencyKey?: string
  readonly DryRun?: boolean
  readonly ConfirmationToken?: string
}

const word = { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKey, pattern: VISIBLE } as const

const ALWAYS = { Detail: { type: 'string', enum: ['full'] } } as const
const WRITES = { IdempotencyKey: word, DryRun: { type: 'boolean' } } as const
const CONFIRMED = { ConfirmationToken: word } as const

/** The schemas of what steers a call of an operation. */
export function optionSchemas(operation: Operation): { readonly [name: string]: { readonly type: string } } {
  return { ...(operation.effect !== 'read' && WRITES), ...(takesAway(operation) && CONFIRMED), ...ALWAYS }
}
