import {
  type CallToolResult,
  type InputRequest,
  type InputRequiredResult,
  isInputRequiredResult,
  type RequestId,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Questions, Session } from './backend.ts'
import { type Elicitation, notAsked, QUESTION } from './confirmation.ts'
import type { Progress } from './progress.ts'

/** A call of a tool, with what the person has replied. */
export type Call = (elicitation: Elicitation) => Promise<CallToolResult | InputRequiredResult>

/** What goes with a call from its beginning to its end. */
export interface Following {
  /** Aborts when the client cancels the call or disconnects. */
  readonly signal: AbortSignal
  readonly progress: Progress
  /** Looks now for a cancellation that has reached another process. */
  readonly lookForCancellation?: (() => Promise<void>) | undefined
}

/** How long to wait for the person. Shorter than a plan can be confirmed. */
const REPLY_TIMEOUT_MS = 10 * 60_000

/**
 * The result of a call once the person has been asked. A client of the current revision asks by itself and calls again. One of 2025 is sent
 * the question while its call waits. Where that fails, no token is handed out: the model would confirm in the place of the person.
 */
export async function elicit(
  session: Session,
  server: Server,
  { mcpReq }: ServerContext,
  result: CallToolResult | InputRequiredResult,
  call: Call,
  { signal, progress, lookForCancellation }: Following,
): Promise<CallToolResult | InputRequiredResult> {
  const question = isInputRequiredResult(result) && mcpReq.envelope === undefined ? result.inputRequests?.[QUESTION] : undefined
  if (question?.method !== 'elicitation/create') return result
  const { questions } = session.backend
  const token = result.requestState as string
  try {
    const ask = () =>
      questions ? askInStream(server, mcpReq.id, signal, questions, question, token) : mcpReq.send(question, { timeout: REPLY_TIMEOUT_MS, signal })
    const reply = await progress.during('Waiting for the person to confirm', ask, REPLY_TIMEOUT_MS)
    // The store is polled, so that a call may have been cancelled before a reply that is seen first.
    await lookForCancellation?.()
    signal.throwIfAborted()
    return await call({ canElicit: true, state: token, responses: { [QUESTION]: reply } })
  } catch (error) {
    if (signal.aborted) throw error
    return notAsked(session, token)
  }
}

/** Asks in the stream that answers the call. The reply is a request of its own, so it is awaited in the store. */
async function askInStream(
  { transport }: Server,
  id: RequestId,
  signal: AbortSignal,
  questions: Questions,
  { method, params }: Extract<InputRequest, { method: 'elicitation/create' }>,
  token: string,
): Promise<{ readonly action: 'accept' | 'decline' | 'cancel' }> {
  await transport?.send({ jsonrpc: '2.0', id: questions.idOf(token), method, params: { ...params } }, { relatedRequestId: id })
  const action = await questions.awaitReply(token, AbortSignal.any([signal, AbortSignal.timeout(REPLY_TIMEOUT_MS)]))
  if (action === 'failed') throw new Error('The client could not ask.')
  return { action }
}
