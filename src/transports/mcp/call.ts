import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { readArguments, withFaults } from './arguments.ts'
import type { Session } from './backend.ts'
import { BRIEF_PAGE, type Written } from './brief.ts'
import { type Asking, answered, askOrTell } from './confirmation.ts'
import { refusalOf, resultOf } from './result.ts'
import type { Members } from './shorten.ts'

/** Calls an operation as a tool. Whatever the core refuses is an answer, not an error of the protocol. */
export async function callTool(session: Session, operation: Operation, given: Members, asking: Asking): Promise<CallToolResult | InputRequiredResult> {
  const { backend, narrowing } = session
  const { input, steering, faults } = readArguments(operation, given)
  const full = steering.Detail === 'full'
  const options = {
    ...(asking.signal && { signal: asking.signal }),
    ...(narrowing.confirm && { confirm: true }),
    ...(typeof steering.IdempotencyKey === 'string' && { idempotencyKey: steering.IdempotencyKey }),
    ...(steering.DryRun === true && { dryRun: true }),
  }
  try {
    // With what is unknown to it the contract refuses the call for certain, and the audit has a line of it.
    if (faults.length > 0) {
      const refusal = await backend.call(operation.id, given, options).then(undefined, (error: unknown) => error)
      throw refusal instanceof CrmError && refusal.code === 'invalid_input' ? withFaults(operation, refusal, faults) : refusal
    }
    const decision = await answered(session, asking)
    if (decision.declined) return decision.declined
    const confirmation = decision.token ?? steering.ConfirmationToken
    let written: Written = {}
    const answer = await backend.call(operation.id, full ? input : withPage(operation, input), {
      ...options,
      ...(confirmation !== undefined && { confirmation }),
      onOutcome: (outcome) => {
        written = outcome
      },
    })
    return resultOf(operation, answer, written, full)
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    if (error.plan) return askOrTell(operation, error.plan, asking)
    return refusalOf(error, backend.requestId)
  }
}

/** A page is smaller here, unless said otherwise. */
function withPage({ input }: Operation, given: Members): Members {
  const { properties } = input as unknown as { properties: object }
  return 'Limit' in properties && given.Limit === undefined ? { ...given, Limit: BRIEF_PAGE } : given
}
