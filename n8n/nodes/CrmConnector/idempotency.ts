import { createHash, randomUUID } from 'node:crypto'
import type { IExecuteFunctions } from 'n8n-workflow'

/** Where the node keeps the execution that its keys are made of. */
const KEPT = 'crmConnectorExecution'

/**
 * The key of an item's write, the same however often the write is sent: it is made of the instance, the workflow, the execution, the
 * node, its run and the item. A node in a loop runs several times with the same items, so the run is part of it; "Retry On Fail"
 * stays within a run. The input is not part of it: an expression such as `$now` differs at each attempt, and must not write twice.
 *
 * The execution is kept in the context of the node, which n8n carries over to an execution that is retried. What the failed one has
 * written is then answered again instead of being written a second time. Where there is no execution, as under the MCP Server Trigger,
 * one is made up.
 */
export function keyOf(context: IExecuteFunctions, item: number): string {
  const kept = context.getContext('node')
  kept[KEPT] ??= context.getExecutionId() ?? randomUUID()
  const execution = String(kept[KEPT])
  const run = context.isToolExecution?.() ? callOf(kept, context.getInputData()[item]?.json ?? {}) : (context.getWorkflowDataProxy(item).$runIndex ?? 0)
  const whole = [context.getInstanceId(), context.getWorkflow().id, execution, context.getNode().id, run, item]
  // What can be read helps whoever looks at the audit; the digest is what makes it unique.
  return `n8n-${execution.replace(/[^\w.-]/g, '_').slice(0, 60)}-${run}-${item}-${digest(whole).slice(0, 40)}`
}

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** The calls of agents, by the very object that holds what was asked. */
const calls = new WeakMap<object, string>()

/** How often each thing was asked for within an execution, by the context of the node in it. */
const counts = new WeakMap<object, Map<string, number>>()

/**
 * Which call of an agent this is. Where an agent calls the node by itself, n8n counts each attempt of "Retry On Fail" as a run, but
 * hands the same object over with all of them. A call is told from others by what was asked and how often it was asked before, so that
 * an agent that means to do a thing twice does, and one whose execution is retried finds what it has done already.
 */
function callOf(kept: object, asked: object): string {
  const known = calls.get(asked)
  if (known !== undefined) return known
  const what = digest(asked).slice(0, 8)
  const before = counts.get(kept) ?? new Map<string, number>()
  const count = before.get(what) ?? 0
  counts.set(kept, before.set(what, count + 1))
  const call = `${what}.${count}`
  calls.set(asked, call)
  return call
}
