import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { BATCH } from '../../contract/batch.ts'
import { CrmError } from '../../contract/errors.ts'
import { nearest } from '../../contract/names.ts'
import { meansBatch, nearestOperations } from '../../contract/nearest-operations.ts'
import type { Operation } from '../../contract/operation.ts'
import { quote } from '../../contract/operations.ts'
import { hasBatch } from './batch-tool.ts'
import { hintOf } from './error-hints.ts'

/** A name that is not known, with the nearest that are. */
export function unknownName(what: string, name: string, known: readonly string[]): ProtocolError {
  return unknown(what, name, nearest(name, known, 3, true), 'There are none for this key.')
}

/** A tool that is not known or not offered, with those of the offered ones that it can mean. */
export function unknownTool(name: string, offered: readonly Operation[]): ProtocolError {
  const near = hasBatch(offered) && meansBatch(name) ? [BATCH.id] : nearestOperations(name, offered)
  return unknown('tool', name, near, offered.length > 0 ? 'tools/list has all that there are.' : 'There are none for this key.')
}

function unknown(what: string, name: string, near: readonly string[], otherwise: string): ProtocolError {
  const hint = near.length > 0 ? `Nearest: ${near.join(', ')}.` : otherwise
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no ${what} called ${quote(name)}. ${hint}`)
}

/** Turns refusals of the core outside of a tool call into errors of the protocol. */
export async function withProtocolErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    const code = error.code === 'internal' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
    throw new ProtocolError(code, error.message, { code: error.code, hint: hintOf(error) })
  }
}

/** Answers a list request. Lists are not paged, so a cursor is refused. */
export function listHandler<T>(
  list: (context: ServerContext) => Promise<T>,
): (request: { readonly params?: { readonly cursor?: string | undefined } | undefined }, context: ServerContext) => Promise<T> {
  return async ({ params }, context) => {
    if (params?.cursor !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such cursor: everything is listed at once.')
    return withProtocolErrors(() => list(context))
  }
}

/** The capabilities that a client has sent with the request, or before on the same connection. */
export function capabilitiesOf(server: Server, { mcpReq }: ServerContext): ClientCapabilities {
  const envelope = mcpReq.envelope as { readonly [key: string]: unknown } | undefined
  return (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {}) as ClientCapabilities
}

/** Whether a client can put a form before the person behind it. */
export function canElicit({ elicitation }: ClientCapabilities): boolean {
  // Clients of older protocol revisions name no mode; they support forms only.
  return elicitation !== undefined && ('form' in elicitation || !('url' in elicitation))
}

/** Whether a client can only send the person to an address, where nothing can be confirmed for it. */
export function asksByAddress(capabilities: ClientCapabilities): boolean {
  return capabilities.elicitation !== undefined && !canElicit(capabilities)
}

/** Failures that the agent did not cause. */
const FAILURES: readonly unknown[] = ['internal', 'platform_unavailable', 'outcome_unknown']

/** Logs failures that the agent did not cause to its client, where an operator can see them. */
export async function logFailure({ mcpReq }: ServerContext, result: { readonly [member: string]: unknown }): Promise<void> {
  const { code, detail, requestId } = Object(result.structuredContent) as { readonly [member: string]: unknown }
  if (result.isError && FAILURES.includes(code)) await mcpReq.log('error', { code, detail, requestId }, 'crm-connector')
}
