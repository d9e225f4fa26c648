import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import { BATCH, type Batch, type BatchAnswer, batchInput } from '../../contract/batch.ts'
import { CrmError, type Fault } from '../../contract/errors.ts'
import { nearestOperations } from '../../contract/nearest-operations.ts'
import type { Operation } from '../../contract/operation.ts'
import { quote } from '../../contract/operations.ts'
import { batchFaults } from '../../core/batch/batch-faults.ts'
import { repeatedInBatch } from '../../core/remarks/repeated-create.ts'
import type { Session } from './backend.ts'
import { briefBatch, fullBatch, toolOf } from './batch-result.ts'
import { type Elicitation, readDecision, requestConfirmation } from './confirmation.ts'
import { forAgents, problemForAgents } from './error-hints.ts'
import { fit } from './fit.ts'
import { BUDGET, DELETE_OPTIONS, type OptionArguments } from './option-arguments.ts'
import { remarksOnCall, remarksWithin, withRemarks } from './remarks.ts'
import { errorResult, resultOf } from './tool-result.ts'
import type { Members } from './truncate.ts'

const INPUT = { ...batchInput, properties: { ...batchInput.properties, ...DELETE_OPTIONS } }

/** Calls the tools that a batch names. Those that this client is not offered are unknown here too. */
export async function callBatch(
  session: Session,
  tools: readonly Operation[],
  args: Members,
  elicitation: Elicitation,
): Promise<CallToolResult | InputRequiredResult> {
  const { backend, filter } = session
  const { signal, progress } = elicitation
  const faults = batchFaults(INPUT, args)
  const { IdempotencyKey, DryRun, ConfirmationToken, Detail, Budget, ...batch } = args as unknown as Batch & OptionArguments
  const budget = Budget === undefined || faults.some(({ field }) => field === 'Budget') ? BUDGET.default : Budget
  try {
    if (faults.length === 0) faults.push(...unknownTools(batch.Operations, tools))
    if (faults[0]) throw new CrmError('invalid_input', `Batch: ${faults[0].message}`, { errors: faults })
    const decision = await readDecision(session, elicitation)
    if (decision.declined) return decision.declined
    const confirmation = decision.token ?? ConfirmationToken
    const answered = await backend.batch(batch, {
      ...(signal && { signal }),
      ...(progress && { onProgress: progress.calls }),
      ...(filter.confirm && { confirm: filter.confirm }),
      ...(IdempotencyKey !== undefined && { idempotencyKey: IdempotencyKey }),
      ...(DryRun && { dryRun: true }),
      ...(confirmation !== undefined && { confirmation }),
    })
    const answer = inWordsOfTools(batch.Operations, answered)
    const isFull = Detail === 'full'
    const remarks = await remarksOnBatch(session, tools, batch.Operations, answer, IdempotencyKey !== undefined)
    const presentation = isFull ? fullBatch(batch.Operations, tools, answer) : briefBatch(batch.Operations, tools, answer)
    const { fitting, left } = remarksWithin(budget, remarks)
    return withRemarks(resultOf(fit(presentation, left)), fitting, isFull)
  } catch (error) {
    if (!(error instanceof CrmError) || signal?.aborted) throw error
    return error.plan ? requestConfirmation(session, BATCH, error.plan, elicitation, budget) : errorResult(forAgents(error), backend.requestId, budget)
  }
}

const inWordsOfTools = (calls: Batch['Operations'], { Results, ...answer }: BatchAnswer): BatchAnswer => ({
  ...answer,
  Results: Results.map((result, i) => ({ ...result, ...(result.Error && { Error: problemForAgents(result.Error, calls[i]?.Key !== undefined) }) })),
})

function unknownTools(calls: Batch['Operations'], tools: readonly Operation[]): Fault[] {
  return calls.flatMap(({ Operation: name }, i) => {
    if (toolOf(tools, name)) return []
    const [didYouMean] = nearestOperations(name, tools)
    const fault = { field: `Operations.${i}.Operation`, code: 'unknown', message: `There is no tool called ${quote(name)}.` } as const
    return [{ ...fault, expected: 'a tool of tools/list', ...(didYouMean !== undefined && { didYouMean }) }]
  })
}

/** How many calls of a batch are looked at for remarks, each of which takes reads of its own. */
const REMARKED = 20

async function remarksOnBatch(
  session: Session,
  tools: readonly Operation[],
  calls: Batch['Operations'],
  { Results, BatchID }: BatchAnswer,
  hasKey: boolean,
): Promise<string[]> {
  const { backend } = session
  const withoutKey = Results.flatMap(({ ChangeID }, i) => (ChangeID === undefined || hasKey || calls[i]?.Key !== undefined ? [] : [[ChangeID, i] as const]))
  const mayRepeat = BatchID !== undefined && withoutKey.length > 0
  const remarks = mayRepeat ? await repeatedInBatch(BatchID, new Map(withoutKey), 'IdempotencyKey', await backend.reading()).catch(() => []) : []
  let left = REMARKED
  for (const [i, { Operation: name, Input }] of calls.entries()) {
    const operation = toolOf(tools, name) as Operation
    const { Result: answer, ChangeID: changeId, Replayed } = Results[i] ?? {}
    if (answer === undefined) continue
    if (operation.effect !== 'read' && !Replayed && left-- > 0) {
      // Creates that are repeated are told of all together.
      const call = { operation, input: Object(Input) as Members, answer, changeId, hasKey: true }
      remarks.push(...(await remarksOnCall(session, call)).map((remark) => `Call ${i}: ${remark}`))
    }
    backend.seen.note(operation, answer)
  }
  return remarks
}
