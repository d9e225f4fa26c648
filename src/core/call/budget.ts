import { CrmError } from '../../contract/errors.ts'
import type { Budget } from '../../platforms/platform.ts'
import type { Call, Caller, Deadline, Service } from '../service.ts'

/** What a call may cost. Its signal is made when first asked for, since most calls end long before. */
export class CallBudget implements Budget {
  private readonly call: Call
  private readonly deadline: Deadline
  private controller: AbortController | undefined
  private timer: NodeJS.Timeout | undefined

  constructor(service: Service, call: Call) {
    const { callTimeoutMs: ms } = service
    const own = { at: performance.now() + ms, ms }
    this.call = call
    this.deadline = call.deadline && call.deadline.at < own.at ? call.deadline : own
  }

  get share(): string {
    return shareOf(this.call.caller)
  }

  get isOver(): boolean {
    return this.call.hangUp?.happened === true || performance.now() >= this.deadline.at
  }

  /** Throws once it is over. */
  check(): void {
    if (this.isOver) throw this.reason()
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
    return this.call.hangUp?.happened ? hungUp() : tooExpensive(this.deadline)
  }
}

/** Calls with the same key share what they may have of the service. */
export const shareOf = ({ workspace, keyId, userId }: Caller) => `${workspace.number}:${keyId ?? userId}`

/** Nobody reads this answer; it is for the log. */
export const hungUp = () => new CrmError('too_expensive', 'The caller has hung up before the answer was ready.')

function tooExpensive({ ms }: Deadline): CrmError {
  return new CrmError('too_expensive', `The call took longer than the ${ms / 1000} seconds it may take.`, {
    hint: 'Narrow it: filter by a field with eq or in, or by a range of CreatedDate, and ask for fewer records or a shorter period. contains, startsWith and ne read every record that the other filters leave.',
  })
}
