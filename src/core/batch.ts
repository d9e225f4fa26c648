import { type Batch, batchInput } from '../contract/batch.ts'
import { CrmError, ERRORS, type Problem, problemOf } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Operation } from '../contract/operation.ts'
import { findOperation } from '../contract/operations.ts'
import { execute, prepareOf, understand, wrapped } from './execute.ts'
import { makeReady, type Outcome, recordRefusal, type Write, within } from './journal.ts'
import { claim } from './once.ts'
import { rehearse } from './rehearsal.ts'
import { faultsOf } from './schemas.ts'
import type { Call, Caller, Service } from './service.ts'
import { home, type Prepared } from './verbs/context.ts'

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
  /** All of it as JSON, written out once. */
  readonly json: string
}

/** Carries out many calls in one go: each for itself, or all or nothing. Throws only when the batch itself makes no sense. */
export async function executeBatch(service: Service, batch: Call): Promise<BatchAnswer> {
  const { Operations, Atomic = false } = readBatch(batch.input)
  const rehearsal = new Map()
  const calls = Operations.map(({ Operation, Input = {}, Key }, i): Call => {
    const key = Key ?? (batch.idempotencyKey === undefined ? undefined : `${batch.idempotencyKey}#${i}`)
    return { ...batch, operation: Operation, input: Input, idempotencyKey: key, rehearsal }
  })
  const results = Atomic ? await together(service, batch.caller, calls) : await oneByOne(service, calls)
  return { Results: results.map(({ result }) => result), json: `{"Results":[${results.map(({ json }) => json).join()}]}` }
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
    const rest = JSON.stringify(more).slice(1, -1)
    return { result: { Status: 200, Result: result, ...more }, json: `{"Status":200,"Result":${json}${rest && `,${rest}`}}` }
  }

  refused(call: Call, error: CrmError): Written {
    return written({ Status: ERRORS[error.code].status, Error: problemOf(error, call.requestId ?? '') })
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

/** In order: writes follow each other into the same transaction, and a read sees all writes before it. */
async function oneByOne(service: Service, calls: readonly Call[]): Promise<Written[]> {
  const budget = new Budget()
  const results: Promise<Written>[] = []
  const keys = new Set<string>()
  for (const call of calls) {
    const { idempotencyKey: key } = call
    // A key that comes again stands for a call that must have ended, and so does a rehearsal that the next one builds on.
    if (!isWrite(call) || call.dryRun || (key !== undefined && keys.has(key))) await Promise.all(results)
    if (key !== undefined) keys.add(key)
    if (!isWrite(call)) {
      if (budget.isSpent) {
        results.push(Promise.resolve(budget.refused(call, tooLarge())))
        continue
      }
      // Everyone else has a turn between two reads.
      await new Promise(setImmediate)
    }
    await new Promise<void>((begun) => {
      const outcome = execute(service, call, begun)
      results.push(
        outcome.then(
          (one) => budget.answered(call, one),
          (error: CrmError) => budget.refused(call, error),
        ),
      )
    })
  }
  return Promise.all(results)
}

function isWrite(call: Call): boolean {
  try {
    return findOperation(call.operation).effect !== 'read'
  } catch {
    return false
  }
}

/** All or nothing. What is wrong with any of them is found before the first is carried out. */
async function together(service: Service, caller: Caller, calls: readonly Call[]): Promise<Written[]> {
  const budget = new Budget()
  const faults = new Map<number, CrmError>()
  const writes: { readonly write: Write; readonly prepared: Prepared }[] = []
  const claims: ((() => void) | undefined)[] = []
  const keys = new Set<string | undefined>()
  async function attempt<T>(index: number, operation: Operation | undefined, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      const refusal = wrapped(service, caller, error)
      faults.set(index, refusal)
      if (operation) await recordRefusal(service, operation, calls[index] as Call, refusal)
      return undefined
    }
  }

  try {
    for (const [i, call] of calls.entries()) {
      const operation = await attempt(i, undefined, () => findOperation(call.operation))
      if (!operation) continue
      await attempt(i, operation, async () => {
        if (operation.effect === 'read') throw new CrmError('unsupported', 'An atomic batch takes only operations that write.')
        const write = await understand(service, operation, call)
        if (!call.dryRun && !keys.has(call.idempotencyKey)) claims.push(claim(write))
        keys.add(call.idempotencyKey)
        const prepared = await (call.dryRun ? prepareOf(operation)(write) : makeReady(write, prepareOf(operation)))
        if (home(write, prepared.on) !== service.store) throw new CrmError('unsupported', 'This platform cannot carry out several writes as one.')
        writes.push({ write, prepared })
      })
    }
    if (faults.size === 0) {
      let index = 0
      const outcomes = await attempt(-1, undefined, () => carryOutAll(service, caller, writes, (at) => (index = at)))
      if (outcomes) return outcomes.map((outcome, i) => budget.answered(calls[i] as Call, outcome))
      const refusal = faults.get(-1) as CrmError
      faults.clear()
      faults.set(index, refusal)
      await recordRefusal(service, (writes[index] as { write: Write }).write.operation, calls[index] as Call, refusal)
    }
  } finally {
    for (const done of claims) done?.()
  }
  const [first] = faults.keys()
  return calls.map((call, i) =>
    budget.refused(call, faults.get(i) ?? new CrmError('conflict', `Not carried out: the batch is atomic, and call ${first} was refused.`)),
  )
}

/** One transaction for all of them; `at` hears which one is being carried out. */
async function carryOutAll(
  service: Service,
  caller: Caller,
  writes: readonly { readonly write: Write; readonly prepared: Prepared }[],
  at: (index: number) => void,
): Promise<Outcome[]> {
  const { number } = caller.workspace
  if (writes[0]?.write.call.dryRun) return inTurn(writes, at, rehearse)
  return service.store.write(number, (writer) => inTurn(writes, at, (write, prepared) => within(write, prepared, writer)))
}

async function inTurn(
  writes: readonly { readonly write: Write; readonly prepared: Prepared }[],
  at: (index: number) => void,
  work: (write: Write, prepared: Prepared) => Promise<Outcome>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [i, { write, prepared }] of writes.entries()) {
    at(i)
    outcomes.push(await work(write, prepared))
  }
  return outcomes
}
