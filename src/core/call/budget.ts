import { comparisonsIn } from '../../contract/conditions.ts'
import { CrmError } from '../../contract/errors.ts'
import { type Operation, searches } from '../../contract/operation.ts'
import type { Budget, Where } from '../../platforms/platform.ts'
import type { Call, Caller, Deadline, Service } from '../service.ts'

/** What a call may cost. Its signal is made when first asked for, since most calls end long before. */
export class CallBudget implements Budget {
  private readonly call: Call
  private readonly deadline: Deadline
  private readonly writes: boolean
  /** The filters of a search. */
  private readonly where: readonly Where[] | undefined
  private controller: AbortController | undefined
  private timer: NodeJS.Timeout | undefined

  constructor(service: Service, call: Call, operation: Pick<Operation, 'effect' | 'verb'>, { where }: { readonly where: readonly Where[] }) {
    const own = deadlineIn(service.callTimeoutMs)
    this.call = call
    this.writes = operation.effect !== 'read'
    this.where = searches(operation) ? where : undefined
    this.deadline = call.deadline && call.deadline.at < own.at ? call.deadline : own
  }

  get share(): string {
    return shareOf(this.call.caller)
  }

  get isOver(): boolean {
    return this.call.hangUp?.happened === true || performance.now() >= this.deadline.at
  }

  /** Throws where it is over before the call is executed. */
  check(): void {
    if (this.isOver) throw this.call.hangUp?.happened ? new HungUp() : outOfTime(this.deadline)
  }

  get signal(): AbortSignal {
    if (this.controller) return this.controller.signal
    const controller = new AbortController()
    this.controller = controller
    if (this.isOver) this.abort()
    else {
      this.timer = setTimeout(this.abort, this.deadline.at - performance.now())
      this.call.hangUp?.signal.addEventListener('abort', this.abort)
    }
    return controller.signal
  }

  private readonly abort = () => this.controller?.abort(this.reason())

  /** Stops watching once the call has ended. */
  end(): void {
    if (!this.controller) return
    clearTimeout(this.timer)
    this.call.hangUp?.signal.removeEventListener('abort', this.abort)
  }

  reason(): CrmError {
    if (this.call.hangUp?.happened) return new HungUp()
    return this.writes ? outOfTime(this.deadline) : tooExpensive(this.deadline, this.where)
  }
}

/** Calls with the same key share what they may have of the service. Turns are taken between workspaces, and in each between keys. */
export const shareOf = ({ workspace, keyId, userId }: Caller) => `${workspace.number}/${keyId ?? userId}`

/** The caller does not read this answer; it is for the log and the metrics. */
export class HungUp extends CrmError {
  constructor() {
    super('too_expensive', 'The caller has hung up before the answer was ready.')
  }
}

/** A write that waits for its turn is refused rather than interrupted. */
const outOfTime = ({ ms }: Deadline) =>
  new CrmError('too_expensive', `The ${ms / 1000} seconds that this call may take were over before it was executed; nothing was written.`, {
    hint: 'Send it again with more time, or in a smaller batch.',
  })

/** Operators that an index does not serve. */
const SCANNING: ReadonlySet<string> = new Set(['contains', 'startsWith', 'ne'])

function tooExpensive({ ms }: Deadline, where: readonly Where[] | undefined): CrmError {
  const message = `The call took longer than the ${ms / 1000} seconds it may take.`
  if (!where)
    return new CrmError('too_expensive', message, {
      hint: 'The platform is slow, or its limits are used up for the moment. Send it again later, or with more time.',
    })
  const scanned = comparisonsIn(where)
    .filter(({ operator }) => SCANNING.has(operator))
    .map(({ field, name = field, operator }) => `${name} ${operator}`)
  const why = scanned.length > 0 ? `${scanned.join(' and ')} read${scanned.length > 1 ? '' : 's'} every record that the other filters leave. ` : ''
  return new CrmError('too_expensive', message, {
    hint: `${why}Narrow it: filter by a field with eq or in, or by a range of CreatedDate, and ask for fewer records or a shorter period.`,
  })
}

export const deadlineIn = (ms: number): Deadline => ({ at: performance.now() + ms, ms })
