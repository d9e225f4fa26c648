import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { readArguments, refusedArguments, refuseSteering } from './arguments.ts'
import type { Session } from './backend.ts'
import { BRIEF_PAGE, type Written } from './brief.ts'
import { type Asking, answered, askOrTell } from './confirmation.ts'
import { refusalOf, resultOf } from './result.ts'
import type { Members } from './shorten.ts'

/** Calls an operation as a tool. Whatever the core refuses is an answer, not an error of the protocol. */
export async function callTool(session: Session, operation: Operation, given: Members, asking: Asking): Promise<CallToolResult | InputRequiredResult> {
  const { backend, narrowing } = session
  const read = readArguments(operation, given)
  const { input, steering } = read
  const full = steering.Detail === 'full'
  const options = {
    ...(asking.signal && { signal: asking.signal }),
    ...(narrowing.confirm && { confirm: true }),
    ...(typeof steering.IdempotencyKey === 'string' && { idempotencyKey: steering.IdempotencyKey }),
    ...(steering.DryRun === true && { dryRun: true }),
  }
  try {
    await refuseSteering(read, (nonsense) => backend.call(operation.id, nonsense, options))
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
  } catch (thrown) {
    const error = refusedArguments(operation, read, thrown)
    // Who has gone does not hear of it.
    if (asking.signal?.aborted) throw error
    const known = error instanceof CrmError ? error : new CrmError('internal', 'Something went wrong on our side.', { cause: error })
    return known.plan ? askOrTell(operation, known.plan, asking) : refusalOf(known, backend.requestId)
  }
}

/** A page is smaller here, unless said otherwise. */
function withPage({ input }: Operation, given: Members): Members {
  const { properties } = input as unknown as { properties: object }
  return 'Limit' in properties && given.Limit === undefined ? { ...given, Limit: BRIEF_PAGE } : given
}
