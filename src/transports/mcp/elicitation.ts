import { type CallToolResult, type InputRequiredResult, isInputRequiredResult, type ServerContext } from '@modelcontextprotocol/server'
import { type Elicitation, QUESTION } from './confirmation.ts'

/** How long to wait for the person. Shorter than a plan can be confirmed. */
const ANSWER_TIMEOUT_MS = 10 * 60_000

/**
 * The result of a call once the person has been asked. A client of the current revision asks by itself and calls again. One of 2025 is sent
 * the question while its call waits; where that fails, the result asks the agent to ask.
 */
export async function elicit(
  { mcpReq }: ServerContext,
  result: CallToolResult | InputRequiredResult,
  call: (elicitation: Elicitation) => Promise<CallToolResult | InputRequiredResult>,
): Promise<CallToolResult | InputRequiredResult> {
  const question = isInputRequiredResult(result) && mcpReq.envelope === undefined ? result.inputRequests?.[QUESTION] : undefined
  if (question?.method !== 'elicitation/create') return result
  let answer: unknown
  try {
    answer = await mcpReq.send(question, { timeout: ANSWER_TIMEOUT_MS, signal: mcpReq.signal })
  } catch (error) {
    if (mcpReq.signal.aborted) throw error
    return call({ canElicit: false })
  }
  return call({ canElicit: false, state: result.requestState as string, responses: { [QUESTION]: answer } })
}
