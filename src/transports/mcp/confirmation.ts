import { type CallToolResult, type InputRequiredResult, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { refusePlan, type WaitingPlan } from '../../contract/plan.ts'
import type { Session } from './backend.ts'
import { briefRehearsal } from './brief-rehearsal.ts'
import { refusalOf } from './result.ts'
import { isObject } from './shorten.ts'

/** What a request says about asking the person behind the client. */
export interface Asking {
  /** Whether the client can ask. */
  readonly canAsk: boolean
  /** What we gave the client to bring back with the person's answer: the token of the plan. */
  readonly state?: string | undefined
  readonly responses?: { readonly [question: string]: unknown } | undefined
  readonly signal?: AbortSignal | undefined
}

const QUESTION = 'confirm'

/** What the person has decided, where they were asked: the token with which the call acts, or that they declined. */
export async function answered(session: Session, { state, responses }: Asking): Promise<{ token?: string; declined?: CallToolResult }> {
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
  // What cannot be refused was decided already, or has expired.
  await backend.call(refusePlan.id, { PlanID }).catch(() => {})
  return refusalOf(
    new CrmError('forbidden', 'The person was asked to confirm this and declined. Nothing was changed.', { hint: 'Do not call again unless they ask for it.' }),
    backend.requestId,
  )
}

/** Asks the person behind the client to confirm a plan, or tells the client to do so itself. */
export function askOrTell(operation: Operation, plan: WaitingPlan, { canAsk }: Asking): CallToolResult | InputRequiredResult {
  const message = `${operation.name} ${plan.RecordID}?\n${previewOf(plan)}`
  if (canAsk)
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
    structuredContent: { ConfirmationRequired: true, ConfirmationToken: Token, Plan: { ...shown, Preview: briefRehearsal(Preview) } },
  }
}

/** What would be taken away, a line a field. */
function previewOf({ RecordType, ExpiresDate, Preview }: WaitingPlan): string {
  const { Difference } = Preview
  const gone = Object.entries(isObject(Difference) ? Difference : {}).flatMap(([field, change]) => {
    const { From } = change as { From?: unknown }
    return From === null || From === undefined ? [] : [`- ${field}: ${lineOf(From)}`]
  })
  return [`This would take away the ${RecordType}:`, ...gone, `It can be confirmed until ${ExpiresDate}.`].join('\n')
}

/** So much of a value is enough to know it by. */
const LONGEST = 120

function lineOf(value: unknown): string {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' ')
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}…`
}
