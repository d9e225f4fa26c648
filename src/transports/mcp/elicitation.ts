import { type CallToolResult, type InputRequiredResult, isInputRequiredResult, type ServerContext } from '@modelcontextprotocol/server'
import { type Elicitation, QUESTION } from './confirmation.ts'

/** How long a person may think. A plan can be confirmed a little longer than that. */
const PATIENCE_MS = 10 * 60_000

/**
 * What a call answers once the person has been asked. A client of the current revision asks by itself and calls again; one of 2025 is asked
 * while its call waits, and where that fails it is told to ask.
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
    answer = await mcpReq.send(question, { timeout: PATIENCE_MS, signal: mcpReq.signal })
  } catch (error) {
    if (mcpReq.signal.aborted) throw error
    return call({ canElicit: false })
  }
  return call({ canElicit: false, state: result.requestState as string, responses: { [QUESTION]: answer } })
}
