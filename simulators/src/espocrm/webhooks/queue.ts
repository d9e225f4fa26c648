import { createHmac } from 'node:crypto'
import { Access } from '../access.ts'
import type { Row, Store, Values } from '../store.ts'

/** EspoCRM's own job runs every five minutes, unless it is scheduled otherwise; each time it sends one batch to each webhook. */
const INTERVAL_MS = 1000
const BATCH = 50
const RETRY_MS = 600_000
const MOST_ATTEMPTS = 4
const TIMEOUT_MS = 10_000

/** Answers after which a batch is sent again, by EspoCRM's source; 0 is no answer. Its documentation also names 400. */
const PASSING = new Set([0, 401, 403, 404, 405, 408, 500, 503])
const GONE = 410

interface Item {
  readonly webhook: Row
  readonly target: Row
  readonly data: Values
  readonly attempts: number
}

const queues = new WeakMap<Store, WebhookQueue>()

export function queueOf(store: Store): WebhookQueue {
  const queue = queues.get(store) ?? new WebhookQueue(store)
  queues.set(store, queue)
  return queue
}

/** What webhooks are still to be told. A batch that is sent again comes after what has happened since. */
class WebhookQueue {
  private readonly store: Store
  private items: Item[] = []
  private isScheduled = false

  constructor(store: Store) {
    this.store = store
  }

  add(...items: Item[]): void {
    this.items.push(...items)
    if (this.isScheduled || this.items.length === 0) return
    this.isScheduled = true
    this.store.world.later(INTERVAL_MS, () => this.process())
  }

  private async process(): Promise<void> {
    const all = this.items
    this.items = []
    this.isScheduled = false
    for (const webhook of new Set(all.map((item) => item.webhook))) {
      const items = all.filter((item) => item.webhook === webhook)
      this.add(...items.slice(BATCH))
      await this.send(webhook, items.slice(0, BATCH))
    }
  }

  private async send(webhook: Row, items: readonly Item[]): Promise<void> {
    if (webhook.deleted || !webhook.values.isActive) return
    const told = items.flatMap((item) => this.readable(item) ?? [])
    if (told.length === 0) return
    const status = await post(webhook, JSON.stringify(told.map(({ data }) => data)))
    if (status === GONE) this.store.remove(webhook, webhook.values)
    const again = PASSING.has(status) ? told.map((item) => ({ ...item, attempts: item.attempts + 1 })) : []
    const left = again.filter(({ attempts }) => attempts < MOST_ATTEMPTS)
    if (left.length > 0) this.store.world.later(RETRY_MS, () => this.add(...left))
  }

  /** What the user of a webhook may read; undefined for nothing. */
  private readable(item: Item): Item | undefined {
    const { userId } = item.webhook.values
    if (typeof userId !== 'string') return item
    const user = this.store.get('User', userId)
    const access = user && new Access(this.store, user)
    if (!access?.allowsOn(item.target, 'read')) return undefined
    const hidden = access.hidden(this.store.scope(item.target.scope), 'read')
    return { ...item, data: Object.fromEntries(Object.entries(item.data).filter(([name]) => !hidden.has(name))) }
  }
}

/** The status of the answer. */
async function post({ id, values }: Row, body: string): Promise<number> {
  const hash = createHmac('sha256', String(values.secretKey)).update(body).digest()
  const signature = (signed: Buffer) => Buffer.concat([Buffer.from(`${id}:`), signed]).toString('base64')
  const headers = {
    'content-type': 'application/json',
    // Since version 9, with hexadecimal digits. Before, and until version 11, the bytes themselves.
    signature: signature(Buffer.from(hash.toString('hex'))),
    'x-signature': signature(hash),
  }
  try {
    const answer = await fetch(String(values.url), { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) })
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return 0
  }
}
