import { type CallToolResult, type InputRequiredResult, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import type { BATCH } from '../../contract/batch.ts'
import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { refusePlan } from '../../contract/records/plan.ts'
import type { WaitingPlan } from '../../contract/waiting-plan.ts'
import { isConfirmedInPage } from './apps.ts'
import type { Session } from './backend.ts'
import { questionOf } from './confirmation-question.ts'
import { fit } from './fit.ts'
import { BUDGET } from './option-arguments.ts'
import type { Progress } from './progress.ts'
import { shorten } from './shown-answer.ts'
import { tokensOf } from './tokens.ts'
import { errorResult } from './tool-result.ts'
import { type Extent, MAX_TEXT, type Members, withoutEmpty } from './truncate.ts'
import { type NamedPlan, withPlanNames } from './user-names.ts'

/** What a request carries for asking the person behind the client. */
export interface Elicitation {
  /** Whether the client can ask; undefined where it may be able to, and cannot be told to. */
  readonly canElicit: boolean | undefined
  /** Whether the client shows a page in which the person can decide. */
  readonly showsApps?: boolean | undefined
  /** The token of the plan, which the client returns with the person's answer. */
  readonly state?: string | undefined
  readonly responses?: { readonly [question: string]: unknown } | undefined
  readonly signal?: AbortSignal | undefined
  readonly progress?: Progress | undefined
}

export const QUESTION = 'confirm'

type Tool = Operation | typeof BATCH

/** The person's decision, where they were asked: the token that confirms the call, or the answer to a refusal. */
export async function readDecision(session: Session, { state, responses }: Elicitation): Promise<{ token?: string; declined?: CallToolResult }> {
  if (state === undefined) return {}
  const response = inputResponse({ ...responses }, QUESTION)
  // Without an answer, the person is asked again.
  if (response.kind !== 'elicit') return {}
  if (response.action === 'accept') return { token: state }
  return { declined: await decline(session, state, response.action) }
}

/** Refuses the plan, so that its token confirms nothing any more. */
async function decline({ backend }: Session, token: string, action: string): Promise<CallToolResult> {
  const [PlanID] = token.split('.')
  await backend.call(refusePlan.id, { PlanID }).catch((error: unknown) => {
    const { code } = error instanceof CrmError ? error : {}
    if (code === 'not_found' || code === 'invalid_input') throw new CrmError('not_found', 'No plan of yours goes with this requestState.', { hint: ASK_AGAIN })
    // A conflict means that it was decided before or has expired: it cannot be executed either.
    if (code !== 'conflict') throw error
  })
  const reply = action === 'cancel' ? 'dismissed the question' : 'declined'
  return errorResult(
    new CrmError('forbidden', `The person was asked to confirm this and ${reply}. Nothing was changed.`, { hint: 'Do not call again unless they ask for it.' }),
    backend.requestId,
  )
}

const ASK_AGAIN = 'Call without requestState and inputResponses to be asked anew.'

/** The answer where the client can ask, but has failed to, or the person has not replied in time. */
export function notAsked({ backend }: Session, token: string, then = 'Call again to have them asked once more.'): CallToolResult {
  const [PlanID] = token.split('.')
  return errorResult(
    new CrmError('conflict', 'This has to be confirmed, and the person could not be asked. Nothing was changed.', {
      hint: `Tell them: an admin can allow the plan ${PlanID} under Approvals in the console, or with allow_plan. ${then}`,
    }),
    backend.requestId,
  )
}

/** Asks the person through the client, or answers with the token, so that the agent asks; without a token, a person allows the plan elsewhere. */
export async function requestConfirmation(
  session: Session,
  tool: Tool,
  given: WaitingPlan,
  { canElicit, showsApps }: Elicitation,
  budget: number,
): Promise<CallToolResult | InputRequiredResult> {
  const plan = await withPlanNames(session.backend, given)
  const { Token } = plan
  if (Token === undefined) return waiting(tool, plan, budget, { AllowedBy: 'person' }, allowedElsewhere(tool, plan))
  if (canElicit)
    return inputRequired({
      inputRequests: { [QUESTION]: inputRequired.elicit({ message: questionOf(tool, plan), requestedSchema: { type: 'object', properties: {} } }) },
      requestState: Token,
    })
  // The model would confirm in the place of a person whom the client could have asked.
  if (canElicit === undefined)
    return notAsked(session, Token, 'A client is asked that declares elicitation by forms; one of 2025 also sends the Mcp-Session-Id of its initialize.')
  if (showsApps && (!('verb' in tool) || isConfirmedInPage(tool, session.filter))) {
    // The token is in `_meta`, which the page gets and the model does not.
    const result = waiting(tool, plan, budget, { AllowedBy: 'person' }, [
      'Nothing was changed yet: the person decides in the page that is shown to them. Wait for them.',
    ])
    return { ...result, _meta: { ConfirmationToken: Token, Question: questionOf(tool, plan) } }
  }
  const words = [
    'Nothing was changed yet: this has to be confirmed.',
    `Show this to the person. If they agree, call ${tool.id} again before ${plan.ExpiresDate} with the same arguments and ConfirmationToken: ${Token}`,
  ] as const
  // The person sees no more than what the model is told, so that a small budget must not keep from them what would be taken away or changed.
  const whole = tokensOf([words[0], questionOf(tool, plan), words[1]].join('\n'))
  const result = waiting(tool, plan, budget, { ConfirmationToken: Token }, words)
  const needed = Math.max(whole, tokensOfResult(result))
  return needed > budget && budget < BUDGET.default ? errorResult(unseen(budget, needed), session.backend.requestId, budget) : result
}

const tokensOfResult = ({ content, structuredContent }: CallToolResult) =>
  Math.max(...[...content.map((part) => (part.type === 'text' ? part.text : '')), JSON.stringify(structuredContent)].map((text) => tokensOf(text)))

/** The token of another call may take a few more tokens. */
const ROOM = 50

function unseen(budget: number, needed: number): CrmError {
  const hint = `Call again with Budget: ${Math.min(BUDGET.default, Math.ceil((needed + ROOM) / 100) * 100)}.`
  return new CrmError('too_large', `This has to be confirmed, and what it is about does not fit into Budget: ${budget}. Nothing was changed.`, { hint })
}

function allowedElsewhere(tool: Tool, { PlanID }: WaitingPlan): readonly [string, string] {
  return [
    'Nothing was changed yet: a person has to allow this, and you cannot confirm it.',
    `Tell the person: an admin allows or refuses the plan ${PlanID} under Approvals in the console, or with allow_plan and another key. Then call ${tool.id} again with the same arguments: it answers with what was done, and as now while the plan waits.`,
  ]
}

/** The answer while a plan waits: what it is about and what to do are never cut. */
function waiting(tool: Tool, plan: NamedPlan, budget: number, how: Members, [first, ...then]: readonly [string, ...string[]]): CallToolResult {
  const { Token: _token, Preview, UserNames, ...shown } = plan
  const { DryRun, WouldWrite, Difference, Differences, Creates, Names, ...counts } = Preview
  const message = questionOf(tool, plan, budget - tokensOf([first, ...then].join('\n'), budget))
  const show = (extent: Extent) => {
    const long = {
      WouldWrite: withoutEmpty(WouldWrite),
      Difference,
      ...(Differences !== undefined && { Differences }),
      ...(Creates !== undefined && { Creates }),
      Names,
      ...(UserNames && { UserNames }),
    }
    const { members, cut = [] } = shorten(long, { ...extent, text: Math.min(extent.text, MAX_TEXT) })
    const { UserNames: users, ...rest } = members
    const Plan = { ...shown, Preview: { DryRun, ...rest, ...counts }, ...(users !== undefined && { UserNames: users }) }
    return { members: { ConfirmationRequired: true, ...how, Plan }, cut }
  }
  const isSeen = how.AllowedBy !== undefined
  const { structure } = fit({ show, render: () => '', ...(isSeen && { instead: 'the person sees them' }) }, budget)
  return { content: [{ type: 'text', text: [first, message, ...then].join('\n') }], structuredContent: { ...structure } }
}
