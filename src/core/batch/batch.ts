import { type Batch, batchInput } from '../../contract/batch.ts'
import { CrmError, ERRORS, type Problem, problemOf } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operationNamed } from '../../contract/operations.ts'
import { Connection } from '../../contract/records/connection.ts'
import { OwnField } from '../../contract/records/own-field.ts'
import { Turns } from '../../helpers/turns.ts'
import type { SharedBinding } from '../binding.ts'
import { sharedBinding } from '../call/acquire-binding.ts'
import { deadlineIn, HungUp } from '../call/budget.ts'
import { execute } from '../call/execute.ts'
import type { Outcome } from '../call/types.ts'
import { wrapError } from '../call/wrap-error.ts'
import type { Call, Service } from '../service.ts'
import { executeAtomic } from './atomic.ts'
import { batchFaults } from './batch-faults.ts'
import { batchIdOf } from './batch-id.ts'
import { executeConcurrently, isConcurrent } from './concurrent.ts'
import { type BatchPlan, confirmBatch, mayNeedConfirmation } from './confirm-batch.ts'
import { executeInOrder } from './ordered.ts'

/** How one call of a batch ended. */
export interface BatchResult {
  readonly Status: number
  readonly Result?: unknown
  readonly Error?: Problem
  readonly ChangeID?: string
  readonly Replayed?: true
}

export interface BatchAnswer {
  readonly Results: readonly BatchResult[]
  /** Left out where nothing can have been written. */
  readonly BatchID?: string
  /** The whole answer as JSON. */
  readonly json: string
}

/** A batch may take as long as so many calls, unless its caller says how long. */
const BATCH_TIMES = 10

/** Executes many calls in one request: each for itself, or all or nothing. Throws only when the batch itself is invalid. */
export async function executeBatch(service: Service, batch: Call): Promise<BatchAnswer> {
  const given = readBatch(batch.input)
  const { Operations, Atomic = false, BatchID } = given
  const deadline = batch.deadline ?? deadlineIn(BATCH_TIMES * service.callTimeoutMs)
  const { caller, transport, requestId, dryRun, confirm, hangUp, onProgress } = batch
  let done = 0
  const onEnd = onProgress && (() => onProgress(++done, Operations.length))
  const writes = Operations.some(({ Operation }) => isWrite({ operation: Operation }))
  const binding = sharedBinding(service, caller.workspace)
  // Made when its turn comes: of a batch that is hung up on most calls never have one. A literal, since V8 reads members of spread objects slowly.
  function* calls(batchId?: string, plan?: BatchPlan): Generator<Call> {
    const dryRunState = new Map()
    for (const [i, { Operation, Input = {}, Key }] of Operations.entries()) {
      const idempotencyKey = Key ?? (batch.idempotencyKey === undefined ? undefined : `${batch.idempotencyKey}#${i}`)
      yield {
        operation: Operation,
        input: Input,
        idempotencyKey,
        caller,
        transport,
        requestId,
        dryRun,
        confirm,
        deadline,
        hangUp,
        dryRunState,
        batchId,
        binding,
        inConfirmed: plan?.shown[i],
        onEnd,
      }
    }
  }
  try {
    const confirmed = mayNeedConfirmation(batch, given) ? await confirmBatch(service, batch, given, [...calls()], binding) : undefined
    if (confirmed?.ends) return answerOf(serialisedAll([...calls()], confirmed.ends), confirmed.batchId)
    const plan = confirmed?.plan
    const keys = Operations.map(({ Key }) => Key)
    const batchId = writes && !dryRun ? await batchIdOf(service, batch, BatchID, keys, plan?.id) : undefined
    const all = () => calls(batchId, plan)
    if (Atomic || (plan && (await binding.acquire()).isStore)) {
      const ends = await executeAtomic(service, [...all()], binding, plan?.use)
      onProgress?.(ends.length, ends.length)
      return answerOf(serialisedAll([...all()], ends), batchId)
    }
    return answerOf(await (plan ? executePlanned(service, batch, plan, all(), binding) : executeEach(service, all(), binding)), batchId)
  } catch (error) {
    throw wrapError(service, batch, undefined, error)
  } finally {
    binding.release()
  }
}

function answerOf(results: readonly Serialised[], batchId: string | undefined): BatchAnswer {
  return {
    Results: results.map(({ result }) => result),
    ...(batchId !== undefined && { BatchID: batchId }),
    get json() {
      return `{"Results":[${results.map(({ json }) => json).join()}]${batchId === undefined ? '' : `,"BatchID":"${batchId}"`}}`
    },
  }
}

/** The result of a call, with its JSON. */
interface Serialised {
  readonly result: BatchResult
  readonly json: string
}

/** Limits the size of the answer. Beyond it a read is refused, a write is answered without its result, and a refusal without its faults. */
class Budget {
  private left: number = LIMITS.batchBytes
  /** Whether a read had no room, so that further ones are not even executed. */
  isSpent = false

  answered(call: Call, { result, json = JSON.stringify(result ?? null), changeId, replayed }: Outcome): Serialised {
    const more = { ...(changeId !== undefined && { ChangeID: changeId }), ...(replayed && { Replayed: true as const }) }
    const bytes = Buffer.byteLength(json)
    if (result === undefined || (bytes > this.left && isWrite(call))) return serialised({ Status: 200, ...more })
    if (bytes > this.left) {
      this.isSpent = true
      return this.refused(call, tooLarge())
    }
    this.left -= bytes
    const rest = `${changeId === undefined ? '' : `,"ChangeID":${JSON.stringify(changeId)}`}${replayed ? ',"Replayed":true' : ''}`
    return { result: { Status: 200, Result: result, ...more }, json: `{"Status":200,"Result":${json}${rest}}` }
  }

  /** Beyond the limit a refusal is without its faults, of which the message has the first. */
  refused(call: Call, error: CrmError): Serialised {
    const { errors, ...brief } = problemOf(error, call.requestId ?? '')
    const whole = serialised({ Status: ERRORS[error.code].status, Error: { ...brief, ...(errors && { errors }) } })
    if (errors && whole.json.length > this.left) return serialised({ Status: whole.result.Status, Error: brief })
    this.left -= whole.json.length
    return whole
  }

  resultOf(call: Call, end: Outcome | CrmError): Serialised {
    return end instanceof CrmError ? this.refused(call, end) : this.answered(call, end)
  }
}

const serialised = (result: BatchResult): Serialised => ({ result, json: JSON.stringify(result) })

const tooLarge = () =>
  new CrmError('too_large', `The answer of the batch would be larger than ${LIMITS.batchBytes.toLocaleString('en')} bytes.`, {
    hint: 'Send this call on its own.',
  })

function readBatch(input: unknown): Batch {
  const faults = batchFaults(batchInput, input)
  if (faults.length === 0) return input as Batch
  throw new CrmError('invalid_input', `The batch is invalid: ${faults[0]?.message}`, {
    errors: faults,
    hint: 'It looks like { "Operations": [{ "Operation", "Input" }] }.',
  })
}

function serialisedAll(calls: readonly Call[], ends: readonly (Outcome | CrmError)[]): Serialised[] {
  const budget = new Budget()
  return ends.map((end, i) => budget.resultOf(calls[i] as Call, end))
}

/** A confirmed batch where there is no transaction for all of it. The plan is used before, and can be used again where every call was refused. */
async function executePlanned(service: Service, batch: Call, plan: BatchPlan, calls: Iterable<Call>, binding: SharedBinding): Promise<Serialised[]> {
  const { number } = batch.caller.workspace
  await service.store.write(number, (writer) => plan.use(writer))
  const results = await executeEach(service, calls, binding)
  const isRefused = ({ result: { Error: problem } }: Serialised) => problem !== undefined && problem.code !== 'outcome_unknown'
  if (results.every(isRefused)) await service.store.write(number, (writer) => plan.release(writer))
  return results
}

/** In order: writes that follow each other share a transaction, and a read sees all writes before it. */
async function executeEach(service: Service, calls: Iterable<Call>, binding: SharedBinding): Promise<Serialised[]> {
  const budget = new Budget()
  const results: Serialised[] = []
  const keys = new Set<string>()
  const turns = new Turns()
  let writes: Call[] = []

  async function flush(): Promise<void> {
    const calls = writes
    writes = []
    keys.clear()
    const ends = await ((await isConcurrent(binding)) ? executeConcurrently : executeInOrder)(service, calls)
    for (const [i, end] of ends.entries()) {
      results.push(budget.resultOf(calls[i] as Call, end))
      await turns.pause()
    }
  }

  for (const call of calls) {
    if (call.hangUp?.happened) throw new HungUp()
    const { idempotencyKey: key } = call
    // A repeated key needs the answer of its first call, and a dry run the state that earlier calls have left.
    if (!isWrite(call) || call.dryRun || (key !== undefined && keys.has(key))) await flush()
    if (isWrite(call) && !call.dryRun) {
      if (key !== undefined) keys.add(key)
      writes.push(call)
      // What it defines is known to the calls that are made ready after it has ended.
      if (isDefinition(call)) await flush()
      if (isConnection(call)) binding.release()
    } else if (!isWrite(call) && budget.isSpent) results.push(budget.refused(call, tooLarge()))
    else {
      await turns.pause()
      const end = await execute(service, call).catch((error: CrmError) => error)
      results.push(budget.resultOf(call, end))
    }
  }
  await flush()
  return results
}

/** Whether a call changes which fields there are, as an undo may, or what the workspace is connected to. */
function isDefinition(call: Call): boolean {
  const operation = operationNamed(call.operation)
  return operation?.record.name === OwnField.name || operation?.verb === 'undoChange' || isConnection(call)
}

const isConnection = ({ operation }: Call) => operationNamed(operation)?.record.name === Connection.name

function isWrite({ operation: name }: Pick<Call, 'operation'>): boolean {
  const operation = operationNamed(name)
  return operation !== undefined && operation.effect !== 'read'
}
