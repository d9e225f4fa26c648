import { type CallToolResult, type InputRequiredResult, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { refusePlan } from '../../contract/records/plan.ts'
import type { WaitingPlan } from '../../contract/waiting-plan.ts'
import type { Session } from './backend.ts'
import { compactDryRun } from './compact-dry-run.ts'
import { questionOf } from './confirmation-question.ts'
import { errorResult } from './tool-result.ts'

/** What a request says about elicitation the person behind the client. */
export interface Elicitation {
  /** Whether the client can ask. */
  readonly canElicit: boolean
  /** What we gave the client to bring back with the person's answer: the token of the plan. */
  readonly state?: string | undefined
  readonly responses?: { readonly [question: string]: unknown } | undefined
  readonly signal?: AbortSignal | undefined
}

export const QUESTION = 'confirm'

/** What the person has decided, where they were asked: the token with which the call acts, or that they declined. */
export async function readDecision(session: Session, { state, responses }: Elicitation): Promise<{ token?: string; declined?: CallToolResult }> {
  if (state === undefined) return {}
  const response = inputResponse({ ...responses }, QUESTION)
  // Who comes back without an answer is asked again.
  if (response.kind !== 'elicit') return {}
  if (response.action === 'accept') return { token: state }
  return { declined: await decline(session, state) }
}

/** Nobody can act any more on what was declined. */
async function decline({ backend }: Session, token: string): Promise<CallToolResult> {
  const [PlanID] = token.split('.')
  await backend.call(refusePlan.id, { PlanID }).catch((error: unknown) => {
    const { code } = error instanceof CrmError ? error : {}
    if (code === 'not_found' || code === 'invalid_input') throw new CrmError('not_found', 'No plan of yours goes with this requestState.', { hint: ANEW })
    // What was decided before, or has expired, cannot be carried out either.
    if (code !== 'conflict') throw error
  })
  return errorResult(
    new CrmError('forbidden', 'The person was asked to confirm this and declined. Nothing was changed.', { hint: 'Do not call again unless they ask for it.' }),
    backend.requestId,
  )
}

const ANEW = 'Call without requestState and inputResponses to be asked anew.'

/** Asks the person behind the client to confirm a plan, or tells the client to do so itself. */
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
