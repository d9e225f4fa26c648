import { User } from '../../contract/records/user.ts'
import { Webhook } from '../../contract/records/webhook.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import type { Workspace } from '../../platforms/store.ts'
import { callerOf } from '../access/authenticate.ts'
import type { Service } from '../service.ts'
import { pauseAfter } from './backoff.ts'
import { pauseWebhook, type Round, writeDown } from './results.ts'
import { type Item, type Plan, planRound } from './round.ts'
import { secretsOf } from './secrets.ts'
import { type Delivered, send } from './send.ts'
import { signatureHeaders } from './signature.ts'

/** Deliveries under way at a time, each for another record. */
const AT_ONCE = 8
/** After so many failures in a row the target is taken to be down, and only knocked at until it answers. */
const DOWN_AFTER = 3
const GONE = 410

export interface Channel {
  /** Does what can be done now. Resolves to the moment when there is more to do, and to undefined once the webhook is inactive or gone. */
  round(): Promise<number | undefined>
}

/** How a channel is ended: first nothing new is begun, then what is under way is cut off. */
export interface Ending {
  readonly soon: AbortSignal
  readonly now: AbortSignal
}

/** Hears what becomes of deliveries, for the log and the figures. */
export type Tell = (what: 'delivered' | 'failed' | 'paused', facts: { readonly webhookId: string; readonly reason: string | null }) => void

/** Delivers the events of one webhook: at least once, and those of one record one after the other. */
export function createChannel(service: Service, workspace: Workspace, id: string, ending: Ending, tell: Tell): Channel {
  const { store, webhooks: sending } = service
  let failures = 0
  let knocks = 0
  let knockAt = 0
  let eager = false
  let revision: unknown
  const isDown = () => failures >= DOWN_AFTER

  return {
    async round() {
      const reader = store.reader(workspace.number)
      const hook = await reader.get(Webhook.name, id)
      if (hook?.Active !== true) return undefined
      const now = service.now().getTime()
      // Whoever changes a webhook, or has its dead letters sent again, expects it to be tried at once.
      if (hook.Revision !== revision) failures = knocks = knockAt = 0
      revision = hook.Revision
      if (now < knockAt) return knockAt
      const user = await reader.get(User.name, hook.OwnerID as string)
      if (user?.Active !== true) return pause(hook, 'Its owner is not active.')
      const owner = await callerOf(service, workspace, user, { keyId: null, scopes: hook.Scopes as readonly string[], expires: null, confirms: false })

      const knocking = isDown()
      const plan = await planRound(service, { hook, owner, now, eager, knocking })
      const round = await deliver(hook, plan, knocking)
      // Where nothing waits there is nothing to knock with; the next event does as well.
      if (knocking && plan.lanes.length === 0) failures = 0
      else if (isIdle(hook, plan)) {
        eager = false
        return plan.nextDue
      }
      const failingSince = await writeDown(service, workspace, hook, plan, round)
      const reason = whyPaused(round, failingSince, now)
      return reason === undefined ? now : pause(hook, reason)
    },
  }

  /** Lanes side by side, within a lane one after the other up to the first failure. A slow answer holds up the next round of its own webhook. */
  async function deliver(hook: StoredRecord, { lanes }: Plan, knocking: boolean): Promise<Round> {
    const round: Round = { delivered: [], failed: [], untouched: [] }
    const left = [...lanes]
    async function work() {
      for (let lane = left.shift(); lane; lane = left.shift()) await follow(lane)
    }
    async function follow(lane: readonly Item[]) {
      for (const [i, item] of lane.entries()) {
        const result = ending.soon.aborted || (isDown() && !knocking) ? undefined : await attempt(hook, item, knocking)
        if (!result) {
          round.untouched.push(...lane.slice(i))
          return
        }
        if (result.ok) round.delivered.push(item)
        else {
          round.failed.push({ item, result })
          round.untouched.push(...lane.slice(i + 1))
          return
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, lanes.length) }, work))
    return round
  }

  /** Undefined where the attempt was cut off, so that nobody knows what became of it. */
  async function attempt(hook: StoredRecord, { event }: Item, knocking: boolean): Promise<Delivered | undefined> {
    const at = service.now()
    const body = JSON.stringify(event)
    const headers = signatureHeaders(`${id}-${event.EventID}`, at, body, secretsOf(hook, at))
    const result = await send({ url: hook.URL as string, headers, body, timeoutMs: sending.timeoutMs, allowPrivate: sending.allowPrivate, signal: ending.now })
    if (ending.now.aborted && !result.ok) return undefined
    if (result.ok) {
      // What has waited for the target to come back need not wait for its turn.
      eager ||= isDown()
      failures = knocks = knockAt = 0
    } else {
      eager = false
      failures++
      if (failures === DOWN_AFTER || knocking) knockAt = service.now().getTime() + pauseAfter(++knocks, sending.backoffMs)
    }
    tell(result.ok ? 'delivered' : 'failed', { webhookId: id, reason: result.error })
    return result
  }

  function whyPaused({ delivered, failed }: Round, failingSince: string | null, now: number): string | undefined {
    if (failed.some(({ result }) => result.status === GONE)) return `The target answered ${GONE}: it is gone for good.`
    if (delivered.length > 0 || failingSince === null || now - Date.parse(failingSince) < sending.pauseAfterMs) return undefined
    return `Deliveries have failed since ${failingSince}: ${failed[0]?.result.error ?? 'the target did not answer.'}`
  }

  async function pause(hook: StoredRecord, reason: string): Promise<undefined> {
    await pauseWebhook(service, workspace, hook.WebhookID as string, reason)
    tell('paused', { webhookId: id, reason })
    return undefined
  }
}

function isIdle(hook: StoredRecord, { lanes, held, lost, position }: Plan): boolean {
  return lanes.length === 0 && held.length === 0 && lost.length === 0 && position === hook.Position
}
