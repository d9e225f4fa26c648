import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { findOperation } from '../../contract/operations.ts'
import { dryRun } from '../call/dry-run.ts'
import { prepareOf, refused, understand } from '../call/execute.ts'
import { mustConfirm } from '../journal/confirmations.ts'
import { claim } from '../journal/idempotency.ts'
import { makeReady, type Outcome, settled, type Write, within } from '../journal/journal.ts'
import type { Call, Service } from '../service.ts'
import { home, type Prepared } from '../verbs/context.ts'

/** A write that waits to be carried out with others. */
interface Ready {
  readonly write: Write
  readonly prepared: Prepared
}

/** Carries out writes all or nothing. What is wrong with any of them is found before the first is carried out. */
export async function carryOutTogether(service: Service, calls: readonly Call[]): Promise<(Outcome | CrmError)[]> {
  const claims = new Map<string, () => void>()
  try {
    const ends: (Ready | CrmError)[] = []
    for (const call of calls) ends.push(await readied(service, call, claims))
    const ready = ends.filter((end): end is Ready => !(end instanceof CrmError))
    if (ready.length === calls.length) {
      const done = await carryOut(service, ready)
      if (Array.isArray(done)) return done
      ends[done.index] = done.refusal
    }
    const first = ends.findIndex((end) => end instanceof CrmError)
    return ends.map((end) => (end instanceof CrmError ? end : notCarriedOut(first)))
  } finally {
    for (const release of claims.values()) release()
  }
}

function notCarriedOut(first: number): CrmError {
  const message = `Not carried out: the batch is atomic, and call ${first} was refused.`
  return new CrmError('conflict', message, { errors: [{ field: `Operations.${first}`, code: 'conflict', message: 'This call was refused.' }] })
}

/** A call made ready, or its refusal. A key that comes twice is claimed once. */
async function readied(service: Service, call: Call, claims: Map<string, () => void>): Promise<Ready | CrmError> {
  let operation: Operation | undefined
  try {
    operation = findOperation(call.operation)
    if (operation.effect === 'read') throw new CrmError('unsupported', 'An atomic batch takes only operations that write.')
    const write = await understand(service, operation, call)
    if (mustConfirm(write)) throw new CrmError('unsupported', `${operation.name} has to be confirmed, and so cannot be part of an atomic batch.`)
    const key = call.dryRun ? undefined : write.idempotency?.key
    if (key !== undefined && !claims.has(key)) claims.set(key, claim(write) as () => void)
    const prepared = await (call.dryRun ? prepareOf(operation)(write) : makeReady(write, prepareOf(operation)))
    if (home(write, prepared.on) !== service.store) throw new CrmError('unsupported', 'This platform cannot carry out several writes as one.')
    return { write, prepared }
  } catch (error) {
    return refused(service, call, operation, error)
  }
}

/** One transaction for all of them: what became of each, or which one was refused. */
async function carryOut(service: Service, writes: readonly Ready[]): Promise<Outcome[] | { readonly index: number; readonly refusal: CrmError }> {
  let index = 0
  async function inTurn(work: (write: Write, prepared: Prepared) => Promise<Outcome>): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (index = 0; index < writes.length; index++) {
      const { write, prepared } = writes[index] as Ready
      outcomes.push(await work(write, prepared))
    }
    return outcomes
  }
  const { caller, call } = (writes[0] as Ready).write
  try {
    if (call.dryRun) return await inTurn(dryRun)
    return await settled(
      writes.map(({ write }) => write),
      () =>
        service.store.write(caller.workspace.number, async (writer) => {
          // Two that need the same records in another order would wait for each other. What only creates needs nobody else's.
          if (writes.some(({ write }) => write.operation.verb !== 'create')) await writer.lockWorkspace()
          return inTurn((write, prepared) => within(write, prepared, writer))
        }),
    )
  } catch (error) {
    // A commit that fails is nobody's fault, and is told to the last of them.
    index = Math.min(index, writes.length - 1)
    const { write } = writes[index] as Ready
    return { index, refusal: await refused(service, write.call, write.operation, error) }
  }
}
