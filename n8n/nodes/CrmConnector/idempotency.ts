import { createHash } from 'node:crypto'
import type { IExecuteFunctions } from 'n8n-workflow'

/** Where the node keeps the execution that its keys are made of. */
const KEPT = 'crmConnectorExecution'

/**
 * The key of an item's write, the same however often the write is sent: it is made of the instance, the workflow, the execution, the
 * node, its run and the item. A node in a loop runs several times with the same items, so the run is part of it; "Retry On Fail"
 * stays within a run. The input is not part of it: an expression such as `$now` differs at each attempt, and must not write twice.
 *
 * The execution is kept in the context of the node, which n8n carries over to an execution that is retried. What the failed one has
 * written is then answered again instead of being written a second time.
 */
export function keyOf(context: IExecuteFunctions, item: number): string {
  const kept = context.getContext('node')
  kept[KEPT] ??= context.getExecutionId()
  const execution = String(kept[KEPT])
  const run = context.getWorkflowDataProxy(item).$runIndex ?? 0
  const whole = [context.getInstanceId(), context.getWorkflow().id, execution, context.getNode().id, run, item]
  // What can be read helps whoever looks at the audit; the digest is what makes it unique.
  return `n8n-${execution.replace(/[^\w.-]/g, '_').slice(0, 60)}-${run}-${item}-${createHash('sha256').update(JSON.stringify(whole)).digest('hex').slice(0, 40)}`
}
