import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { explainRefusal, readArguments, refuseBadOptions } from './arguments.ts'
import type { Session } from './backend.ts'
import { DEFAULT_PAGE, type WriteOutcome } from './compact-answer.ts'
import { type Elicitation, readDecision, requestConfirmation } from './confirmation.ts'
import { forAgents } from './error-hints.ts'
import { withUsersNamed } from './nearest-users.ts'
import { BUDGET } from './option-arguments.ts'
import { remarksOnCall, remarksWithin, withRemarks } from './remarks.ts'
import { errorResult, recordsToShow, type ToolCall, toolResult } from './tool-result.ts'
import type { Members } from './truncate.ts'
import { withUserNames } from './user-names.ts'

/** Calls an operation as a tool. A refusal of the core is a result with isError, not an error of the protocol. */
export async function callTool(session: Session, operation: Operation, args: Members, elicitation: Elicitation): Promise<CallToolResult | InputRequiredResult> {
  const { backend, filter } = session
  const read = readArguments(operation, args)
  const { input, options: given } = read
  const budget = read.faults.has('Budget') ? BUDGET.default : (given.Budget ?? BUDGET.default)
  const tool: ToolCall = { operation, full: given.Detail === 'full', budget, selected: selectedIn(input) }
  const options = {
    ...(elicitation.signal && { signal: elicitation.signal }),
    ...(filter.confirm && { confirm: filter.confirm }),
    ...(typeof given.IdempotencyKey === 'string' && { idempotencyKey: given.IdempotencyKey }),
    ...(given.DryRun === true && { dryRun: true }),
  }
  try {
    await refuseBadOptions(read, (bad) => backend.call(operation.id, bad, options))
    const decision = await readDecision(session, elicitation)
    if (decision.declined) return decision.declined
    const confirmation = decision.token ?? given.ConfirmationToken
    let written: WriteOutcome = {}
    const ask = async (asked: Members) => {
      const answer = await backend.call(operation.id, asked, {
        ...options,
        ...(confirmation !== undefined && { confirmation }),
        onOutcome: (outcome) => {
          written = outcome
        },
      })
      return tool.full ? answer : withUserNames(backend, operation, answer)
    }
    const { answer, reduced } = await readFitting(tool, tool.full ? input : withPage(operation, input), ask)
    const remarks = written.replayed
      ? []
      : await remarksOnCall(session, { operation, input, answer, changeId: written.changeId, hasKey: 'idempotencyKey' in options })
    backend.seen.note(operation, answer)
    if (operation.verb === 'undoChange') await backend.seen.noteUndone(Object(answer) as Members, await backend.reading())
    const { fitting, left } = remarksWithin(budget, remarks)
    return withRemarks(toolResult({ ...tool, reduced, budget: left }, answer, written), fitting, tool.full)
  } catch (thrown) {
    const error = await withUsersNamed(backend, input, explainRefusal(operation, read, thrown))
    if (elicitation.signal?.aborted) throw error
    const known = error instanceof CrmError ? error : new CrmError('internal', 'Something went wrong on our side.', { cause: error })
    return known.plan ? requestConfirmation(session, operation, known.plan, elicitation, budget) : errorResult(forAgents(known), backend.requestId, budget)
  }
}

/** Reads a page that does not fit again, with as many records as do, so that its cursor continues after the last of them. */
async function readFitting(tool: ToolCall, input: Members, ask: (input: Members) => Promise<unknown>): Promise<{ answer: unknown; reduced: boolean }> {
  let answer = await ask(input)
  let reduced = false
  for (let Limit = recordsToShow(tool, answer); Limit !== undefined; Limit = recordsToShow(tool, answer)) {
    answer = await ask({ ...input, Limit })
    reduced = true
  }
  return { answer, reduced }
}

/** The fields that a list is asked for. */
export const selectedIn = ({ Select }: Members): readonly string[] => (Array.isArray(Select) ? Select : [])

/** Pages are smaller by default than over HTTP, to save the agent's context. */
function withPage({ input }: Operation, given: Members): Members {
  const { properties } = input as unknown as { properties: object }
  return 'Limit' in properties && given.Limit === undefined ? { ...given, Limit: DEFAULT_PAGE } : given
}
