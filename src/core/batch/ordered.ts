import type { CrmError } from '../../contract/errors.ts'
import { Turns } from '../../helpers/turns.ts'
import { execute } from '../call/execute.ts'
import type { Outcome } from '../call/types.ts'
import type { Call, Service } from '../service.ts'

/**
 * Executes writes in order, each for itself. The next begins as soon as the one before is sure to be applied first, not when it has ended, so
 * that the store commits many in one transaction.
 */
export async function executeInOrder(service: Service, calls: readonly Call[]): Promise<(Outcome | CrmError)[]> {
  const outcomes: Promise<Outcome | CrmError>[] = []
  const turns = new Turns()
  for (const call of calls) {
    await new Promise<void>((onStarted) => outcomes.push(execute(service, call, onStarted).catch((error: CrmError) => error)))
    await turns.pause()
  }
  return Promise.all(outcomes)
}
