import { User } from '../../contract/records/user.ts'
import { Webhook } from '../../contract/records/webhook.ts'
import type { Workspace } from '../../platforms/store.ts'
import { callerOf } from '../access/authenticate.ts'
import { readOwnFields } from '../access/own-fields.ts'
import { getRecord } from '../call/records.ts'
import { numberId } from '../journal/positions.ts'
import type { Follower } from '../journal/tail.ts'
import type { Service } from '../service.ts'
import { backoffAfter } from './backoff.ts'
import { pauseWebhook, type Results, writeResults } from './results.ts'
import { type Item, planRound, type Round, type StoredWebhook } from './round.ts'
import { secretsOf } from './secrets.ts'
import { type Delivered, send, sentHeaders } from './send.ts'
import { signatureHeaders } from './signature.ts'

/** Concurrent deliveries, each of another record. */
const CONCURRENCY = 8
/** After so many failures in a row the target counts as down, and is probed with one delivery at a time until it answers. */
const DOWN_AFTER = 3
const GONE = 410

export interface Channel {
  /** Delivers what is due. Resolves to when the next round is due, and to undefined once the webhook is inactive or deleted. */
  round(): Promise<number | undefined>
}

/** How a channel is stopped, in two steps. */
export interface Stop {
  /** No new delivery begins. */
  isStopped(): boolean
  /** Running deliveries are aborted. */
  readonly immediate: AbortSignal
}

/** Called with the outcome of each delivery, for the log and the metrics. */
export type OnDelivery = (outcome: 'delivered' | 'failed' | 'paused', facts: { readonly webhookId: string; readonly reason: string | null }) => void

/** Delivers the events of one webhook: at least once, and those of one record one after the other. */
export function createChannel(service: Service, workspace: Workspace, id: string, follower: Follower, stop: Stop, onDelivery: OnDelivery): Channel {
  const { store, webhooks: settings } = service
  let failures = 0
  let probes = 0
  let probeAt = 0
  let recovered = false
  let revision: unknown
  let unopened: Error | undefined
  const isDown = () => failures >= DOWN_AFTER

  return {
    async round() {
      await readOwnFields(store, workspace.number)
      const reader = store.reader(workspace.number)
      const hook = await getRecord(reader, Webhook, id)
      if (!hook?.Active) return undefined
      const now = service.now().getTime()
      // After an update of the webhook, or a replay of its dead letters, it is tried at once.
      if (hook.Revision !== revision) failures = probes = probeAt = 0
      revision = hook.Revision
      if (now < probeAt) return probeAt
      const user = await getRecord(reader, User, hook.OwnerID)
      if (!user?.Active) return pause(hook, 'Its owner is not active.')
      const owner = await callerOf(service, workspace, user, { keyId: null, scopes: hook.Scopes, expires: null, confirms: null })

      const secrets = secretsFor(hook)
      const probing = isDown()
      const round = await planRound(service, follower, { hook, owner, now, recovered, probing })
      const results = await deliver(hook, secrets, round, probing)
      // Without a waiting delivery there is nothing to probe with; the next event serves as the probe.
      if (probing && round.lanes.length === 0) failures = 0
      else if (isIdle(hook, round)) {
        recovered = false
        return round.nextDue
      }
      const failingSince = await writeResults(service, workspace, hook, round, results)
      const reason = whyPaused(results, failingSince, now)
      return reason === undefined ? now : pause(hook, reason)
    },
  }

  /** Throws the same error object as long as the reason is the same, so that it is logged once although every round fails. */
  function secretsFor(hook: StoredWebhook): readonly string[] {
    try {
      const secrets = secretsOf(service, workspace, hook, service.now())
      unopened = undefined
      return secrets
    } catch (error) {
      if (unopened?.message !== (error as Error).message) unopened = error as Error
      throw unopened
    }
  }

  /** Lanes concurrently, within a lane in order up to the first failure. A slow answer delays the next round of its own webhook only. */
  async function deliver(hook: StoredWebhook, secrets: readonly string[], { lanes }: Round, probing: boolean): Promise<Results> {
    const results: Results = { delivered: [], failed: [], notTried: [], attempts: [] }
    const left = [...lanes]
    async function work() {
      for (let lane = left.shift(); lane; lane = left.shift()) await deliverLane(lane)
    }
    async function deliverLane(lane: readonly Item[]) {
      for (const [i, item] of lane.entries()) {
        const result = stop.isStopped() || (isDown() && !probing) ? undefined : await attempt(hook, secrets, item, probing, results)
        if (!result) {
          results.notTried.push(...lane.slice(i))
          return
        }
        if (result.ok) results.delivered.push(item)
        else {
          results.failed.push({ item, result })
          results.notTried.push(...lane.slice(i + 1))
          return
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, lanes.length) }, work))
    return results
  }

  /** Resolves to undefined where the attempt was aborted, so that its outcome is unknown. */
  async function attempt(
    hook: StoredWebhook,
    secrets: readonly string[],
    item: Item,
    probing: boolean,
    { attempts }: Pick<Results, 'attempts'>,
  ): Promise<Delivered | undefined> {
    const { event, json: body } = item
    const at = service.now()
    const headers = signatureHeaders(`${id}-${event.EventID}`, at, body, secrets)
    const result = await send({ url: hook.URL, headers, body, timeoutMs: settings.timeoutMs, allowPrivate: settings.allowPrivate, signal: stop.immediate })
    if (stop.immediate.aborted && !result.ok) return undefined
    attempts.push({ eventId: numberId(item.number), event, at, headers: sentHeaders({ headers, body }), result })
    if (result.ok) {
      // Once the target answers again, waiting deliveries are sent before their next attempt is due.
      recovered ||= isDown()
      failures = probes = probeAt = 0
    } else {
      recovered = false
      failures++
      if (failures === DOWN_AFTER || probing) probeAt = service.now().getTime() + backoffAfter(++probes, settings.backoffMs)
    }
    onDelivery(result.ok ? 'delivered' : 'failed', { webhookId: id, reason: result.error })
    return result
  }

  function whyPaused({ delivered, failed }: Results, failingSince: string | null, now: number): string | undefined {
    if (failed.some(({ result }) => result.status === GONE)) return `The target answered ${GONE} Gone.`
    if (delivered.length > 0 || failingSince === null || now - Date.parse(failingSince) < settings.pauseAfterMs) return undefined
    return `Deliveries have failed since ${failingSince}: ${failed[0]?.result.error ?? 'the target did not answer.'}`
  }

  async function pause(hook: StoredWebhook, reason: string): Promise<undefined> {
    await pauseWebhook(service, workspace, hook.WebhookID, reason)
    onDelivery('paused', { webhookId: id, reason })
    return undefined
  }
}

function isIdle(hook: StoredWebhook, { lanes, held, lost, position }: Round): boolean {
  return lanes.length === 0 && held.length === 0 && lost.length === 0 && position === hook.Position
}
