import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { explainRefusal, readArguments, refuseBadOptions } from './arguments.ts'
import type { Session } from './backend.ts'
import { DEFAULT_PAGE, type WriteOutcome } from './compact-answer.ts'
import { type Elicitation, readDecision, requestConfirmation } from './confirmation.ts'
import { errorResult, toolResult } from './tool-result.ts'
import type { Members } from './truncate.ts'

/** Calls an operation as a tool. A refusal of the core is a result with isError, not an error of the protocol. */
export async function callTool(session: Session, operation: Operation, args: Members, elicitation: Elicitation): Promise<CallToolResult | InputRequiredResult> {
  const { backend, filter } = session
  const read = readArguments(operation, args)
  const { input, options: given } = read
  const full = given.Detail === 'full'
  const options = {
    ...(elicitation.signal && { signal: elicitation.signal }),
    ...(filter.confirm && { confirm: true }),
    ...(typeof given.IdempotencyKey === 'string' && { idempotencyKey: given.IdempotencyKey }),
    ...(given.DryRun === true && { dryRun: true }),
  }
  try {
    await refuseBadOptions(read, (bad) => backend.call(operation.id, bad, options))
    const decision = await readDecision(session, elicitation)
    if (decision.declined) return decision.declined
    const confirmation = decision.token ?? given.ConfirmationToken
    let written: WriteOutcome = {}
    const answer = await backend.call(operation.id, full ? input : withPage(operation, input), {
      ...options,
      ...(confirmation !== undefined && { confirmation }),
      onOutcome: (outcome) => {
        written = outcome
      },
    })
    return toolResult({ operation, input, full }, answer, written)
  } catch (thrown) {
    const error = explainRefusal(operation, read, thrown)
    if (elicitation.signal?.aborted) throw error
    const known = error instanceof CrmError ? error : new CrmError('internal', 'Something went wrong on our side.', { cause: error })
    return known.plan ? requestConfirmation(operation, known.plan, elicitation) : errorResult(known, backend.requestId)
  }
}

/** Pages are smaller by default than over HTTP, to save the agent's context. */
function withPage({ input }: Operation, given: Members): Members {
  const { properties } = input as unknown as { properties: object }
  return 'Limit' in properties && given.Limit === undefined ? { ...given, Limit: DEFAULT_PAGE } : given
}
