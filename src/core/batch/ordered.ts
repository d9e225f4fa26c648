import type { CrmError } from '../../contract/errors.ts'
import { findOperation } from '../../contract/operations.ts'
import { execute, prepareOf, refused, understand } from '../call/execute.ts'
import { mustConfirm } from '../journal/confirmations.ts'
import { claim } from '../journal/idempotency.ts'
import { begin, type Outcome, type Write } from '../journal/journal.ts'
import type { Call, Service } from '../service.ts'
import { home, type Prepared } from '../verbs/context.ts'
import { carryOutGathered, isGathered } from './concurrent.ts'

/** A write that only waits for its turn. */
interface Ready {
  readonly write: Write
  readonly prepared: Prepared
  /** Lets go of its key. */
  readonly release: (() => void) | undefined
}

/**
 * Carries out writes in order, each for itself. Most can be made ready without waiting for anything, and follow each other straight into
 * the store, which takes a good deal less than a whole life for each. Whatever takes more, or is refused, goes the usual way.
 */
export async function carryOutEach(service: Service, calls: readonly Call[]): Promise<(Outcome | CrmError)[]> {
  if (isGathered(service, calls)) return carryOutGathered(service, calls)
  const ends: Promise<Outcome | CrmError>[] = []
  for (const call of calls) {
    const ready = readyAtOnce(service, call)
    if (ready) ends.push(carried(service, call, ready))
    else await new Promise<void>((begun) => ends.push(execute(service, call, begun).catch((error: CrmError) => error)))
  }
  return Promise.all(ends)
}

function readyAtOnce(service: Service, call: Call): Ready | undefined {
  let release: (() => void) | undefined
  try {
    const operation = findOperation(call.operation)
    const write = understand(service, operation, call)
    if (write instanceof Promise || mustConfirm(write) || call.confirmation !== undefined) return undefined
    release = claim(write)
    const prepared = prepareOf(operation)(write)
    if (prepared instanceof Promise) prepared.catch(() => {})
    else if (home(write, prepared.on).supports.ordered) return { write, prepared, release }
  } catch {
    // The usual way says what is wrong.
  }
  release?.()
  return undefined
}

function carried(service: Service, call: Call, { write, prepared, release }: Ready): Promise<Outcome | CrmError> {
  return begin(write, prepared).then(
    (outcome) => {
      release?.()
      return outcome
    },
    (error) => {
      release?.()
      return refused(service, call, write.operation, error)
    },
  )
}
