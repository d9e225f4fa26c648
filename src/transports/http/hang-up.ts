import { setMaxListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { HangUp } from '../../core/service.ts'

/** Whether the caller of a request has closed the connection before the answer was sent. */
export class ResponseHangUp implements HangUp {
  private readonly raw: ServerResponse
  private controller: AbortController | undefined

  constructor(raw: ServerResponse) {
    this.raw = raw
  }

  get happened(): boolean {
    return this.raw.destroyed
  }

  /** Made when first asked for, since most calls end long before. */
  get signal(): AbortSignal {
    if (this.controller) return this.controller.signal
    const controller = new AbortController()
    this.controller = controller
    // All calls of a batch that run at the same time watch it.
    setMaxListeners(0, controller.signal)
    if (this.happened) controller.abort()
    else this.raw.once('close', () => controller.abort())
    return controller.signal
  }
}
