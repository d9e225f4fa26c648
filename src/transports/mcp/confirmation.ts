import { type CallToolResult, type InputRequiredResult, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { refusePlan } from '../../contract/records/plan.ts'
import type { WaitingPlan } from '../../contract/waiting-plan.ts'
import type { Session } from './backend.ts'
import { compactDryRun } from './compact-dry-run.ts'
import { questionOf } from './confirmation-question.ts'
import { errorResult } from './tool-result.ts'

/** What a request carries for asking the person behind the client. */
export interface Elicitation {
  /** Whether the client can ask. */
  readonly canElicit: boolean
  /** The token of the plan, which the client returns with the person's answer. */
  readonly state?: string | undefined
  readonly responses?: { readonly [question: string]: unknown } | undefined
  readonly signal?: AbortSignal | undefined
}

export const QUESTION = 'confirm'

/** The person's decision, where they were asked: the token that confirms the call, or the answer to a refusal. */
export async function readDecision(session: Session, { state, responses }: Elicitation): Promise<{ token?: string; declined?: CallToolResult }> {
  if (state === undefined) return {}
  const response = inputResponse({ ...responses }, QUESTION)
  // Without an answer, the person is asked again.
  if (response.kind !== 'elicit') return {}
  if (response.action === 'accept') return { token: state }
  return { declined: await decline(session, state) }
}

/** Refuses the plan, so that its token confirms nothing any more. */
async function decline({ backend }: Session, token: string): Promise<CallToolResult> {
  const [PlanID] = token.split('.')
  await backend.call(refusePlan.id, { PlanID }).catch((error: unknown) => {
    const { code } = error instanceof CrmError ? error : {}
    if (code === 'not_found' || code === 'invalid_input') throw new CrmError('not_found', 'No plan of yours goes with this requestState.', { hint: ASK_AGAIN })
    // A conflict means that it was decided before or has expired: it cannot be executed either.
    if (code !== 'conflict') throw error
  })
  return errorResult(
    new CrmError('forbidden', 'The person was asked to confirm this and declined. Nothing was changed.', { hint: 'Do not call again unless they ask for it.' }),
    backend.requestId,
  )
}

const ASK_AGAIN = 'Call without requestState and inputResponses to be asked anew.'

/** Asks the person through the client, or answers with the token, so that the agent asks. */
export function requestConfirmation(operation: Operation, plan: WaitingPlan, { canElicit }: Elicitation): CallToolResult | InputRequiredResult {
  const message = questionOf(operation, plan)
  if (canElicit)
    return inputRequired({
      inputRequests: { [QUESTION]: inputRequired.elicit({ message, requestedSchema: { type: 'object', properties: {} } }) },
      requestState: plan.Token,
    })
  const { Token, Preview, ...shown } = plan
  return {
    content: [
      {
        type: 'text',
        text: `Nothing was changed yet: this has to be confirmed.\n${message}\nShow this to the person. If they agree, call ${operation.id} again before ${plan.ExpiresDate} with the same arguments and ConfirmationToken: ${Token}`,
      },
    ],
    structuredContent: { ConfirmationRequired: true, ConfirmationToken: Token, Plan: { ...shown, Preview: compactDryRun(Preview) } },
  }
}
