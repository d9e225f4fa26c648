import { createHash, randomUUID } from 'node:crypto'
import type { IExecuteFunctions } from 'n8n-workflow'

/** The member of the node's context that holds the execution id of the keys. */
const EXECUTION = 'crmConnectorExecution'

/**
 * The idempotency key of an item's write, the same for each attempt: made of the instance, the workflow, the execution, the node, its run and
 * the item. A node in a loop runs several times with the same items, so the run is part of it; "Retry On Fail" stays within a run. The input
 * is not part of it: an expression such as `$now` differs at each attempt, and must not write twice.
 *
 * The execution id is stored in the context of the node, which n8n copies to a retried execution. Writes of the failed one are then replayed
 * and not repeated. Without an execution, as under the MCP Server Trigger, a random id is used.
 */
export function keyOf(context: IExecuteFunctions, item: number): string {
  const stored = context.getContext('node')
  stored[EXECUTION] ??= context.getExecutionId() ?? randomUUID()
  const execution = String(stored[EXECUTION])
  const run = context.isToolExecution?.() ? callOf(stored, context.getInputData()[item]?.json ?? {}) : (context.getWorkflowDataProxy(item).$runIndex ?? 0)
  const whole = [context.getInstanceId(), context.getWorkflow().id, execution, context.getNode().id, run, item]
  // The readable part is for people who read the audit; the digest makes the key unique.
  return `n8n-${execution.replace(/[^\w.-]/g, '_').slice(0, 60)}-${run}-${item}-${digest(whole).slice(0, 40)}`
}

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** The calls of agents, by the object identity of their input. */
const calls = new WeakMap<object, string>()

/** How often each input was used within an execution, by the context of the node in it. */
const counts = new WeakMap<object, Map<string, number>>()

/**
 * Identifies the call of an agent. n8n counts each attempt of "Retry On Fail" as a run there, but passes the same input object with all of
 * them. A call is identified by the digest of its input and how often that input was used before: an agent can do the same thing twice on
 * purpose, and a retried execution finds what was already written.
 */
function callOf(nodeContext: object, input: object): string {
  const earlier = calls.get(input)
  if (earlier !== undefined) return earlier
  const inputDigest = digest(input).slice(0, 8)
  const used = counts.get(nodeContext) ?? new Map<string, number>()
  const count = used.get(inputDigest) ?? 0
  counts.set(nodeContext, used.set(inputDigest, count + 1))
  const call = `${inputDigest}.${count}`
  calls.set(input, call)
  return call
}
