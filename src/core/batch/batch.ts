import { type Batch, batchInput } from '../../contract/batch.ts'
import { CrmError, ERRORS, type Problem, problemOf } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { findOperation } from '../../contract/operations.ts'
import { execute } from '../call/execute.ts'
import { faultsOf } from '../call/schemas.ts'
import type { Outcome } from '../journal/journal.ts'
import type { Call, Service } from '../service.ts'
import { carryOutTogether } from './atomic.ts'
import { carryOutEach } from './ordered.ts'

/** What became of one call of a batch. */
export interface BatchResult {
  readonly Status: number
  readonly Result?: unknown
  readonly Error?: Problem
  readonly ChangeID?: string
  readonly Replayed?: true
}

export interface BatchAnswer {
  readonly Results: readonly BatchResult[]
  /** All of it as JSON. */
  readonly json: string
}

/** Carries out many calls in one go: each for itself, or all or nothing. Throws only when the batch itself makes no sense. */
export async function executeBatch(service: Service, batch: Call): Promise<BatchAnswer> {
  const { Operations, Atomic = false } = readBatch(batch.input)
  if (batch.confirmation !== undefined)
    throw new CrmError('invalid_input', 'A confirmation token does not apply to a batch.', { hint: 'Send the call that it confirms by itself.' })
  const rehearsal = new Map()
  const calls = Operations.map(({ Operation, Input = {}, Key }, i): Call => {
    const key = Key ?? (batch.idempotencyKey === undefined ? undefined : `${batch.idempotencyKey}#${i}`)
    return { ...batch, operation: Operation, input: Input, idempotencyKey: key, dryRunState: rehearsal }
  })
  const budget = new Budget()
  const results = Atomic
    ? (await carryOutTogether(service, calls)).map((end, i) => budget.written(calls[i] as Call, end))
    : await oneByOne(service, calls, budget)
  return {
    Results: results.map(({ result }) => result),
    get json() {
      return `{"Results":[${results.map(({ json }) => json).join()}]}`
    },
  }
}

/** What became of a call, also as JSON. */
interface Written {
  readonly result: BatchResult
  readonly json: string
}

/**
 * Counts how large the answer grows. What would make it larger than a batch may be is left out: a read is refused, and what a
 * write answers with is not shown again.
 */
class Budget {
  private left: number = LIMITS.batchBytes

  get isSpent(): boolean {
    return this.left <= 0
  }

  answered(call: Call, { result, json = JSON.stringify(result), changeId, replayed }: Outcome): Written {
    const more = { ...(changeId !== undefined && { ChangeID: changeId }), ...(replayed && { Replayed: true as const }) }
    if (json.length > this.left && !isWrite(call)) return this.refused(call, tooLarge())
    if (json.length > this.left) return written({ Status: 200, ...more })
    this.left -= json.length
    const rest = `${changeId === undefined ? '' : `,"ChangeID":${JSON.stringify(changeId)}`}${replayed ? ',"Replayed":true' : ''}`
    return { result: { Status: 200, Result: result, ...more }, json: `{"Status":200,"Result":${json}${rest}}` }
  }

  refused(call: Call, error: CrmError): Written {
    return written({ Status: ERRORS[error.code].status, Error: problemOf(error, call.requestId ?? '') })
  }

  written(call: Call, end: Outcome | CrmError): Written {
    return end instanceof CrmError ? this.refused(call, end) : this.answered(call, end)
  }
}

const written = (result: BatchResult): Written => ({ result, json: JSON.stringify(result) })

const tooLarge = () =>
  new CrmError('too_large', `The answer of the batch would be larger than ${LIMITS.batchBytes.toLocaleString('en')} bytes.`, {
    hint: 'Ask for this by itself.',
  })

function readBatch(input: unknown): Batch {
  const faults = faultsOf(batchInput, input)
  if (faults.length === 0) return input as Batch
  throw new CrmError('invalid_input', `The batch makes no sense: ${faults[0]?.message}`, {
    errors: faults,
    hint: 'It looks like { "Operations": [{ "Operation", "Input" }] }.',
  })
}

/** In order: writes that follow each other share a transaction, and a read sees all writes before it. */
async function oneByOne(service: Service, calls: readonly Call[], budget: Budget): Promise<Written[]> {
  const results: Written[] = []
  const keys = new Set<string>()
  let writes: Call[] = []

  async function carryOutWrites(): Promise<void> {
    const carriedOut = writes
    writes = []
    keys.clear()
    for (const [i, end] of (await carryOutEach(service, carriedOut)).entries()) results.push(budget.written(carriedOut[i] as Call, end))
  }

  for (const call of calls) {
    const { idempotencyKey: key } = call
    // A key that comes again stands for a call that must have ended, and so does a rehearsal that the next one builds on.
    if (!isWrite(call) || call.dryRun || (key !== undefined && keys.has(key))) await carryOutWrites()
    if (isWrite(call) && !call.dryRun) {
      if (key !== undefined) keys.add(key)
      writes.push(call)
    } else if (!isWrite(call) && budget.isSpent) results.push(budget.refused(call, tooLarge()))
    else {
      // Everyone else has a turn between two reads.
      if (!isWrite(call)) await new Promise(setImmediate)
      const end = await execute(service, call).catch((error: CrmError) => error)
      results.push(budget.written(call, end))
    }
  }
  await carryOutWrites()
  return results
}

function isWrite(call: Call): boolean {
  try {
    return findOperation(call.operation).effect !== 'read'
  } catch {
    return false
  }
}
