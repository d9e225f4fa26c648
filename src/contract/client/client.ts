/// <reference lib="esnext.disposable" preserve="true" />
import type { Batch, BatchAnswer } from '../batch.ts'
import type { KnownEvent } from '../records/event.ts'
import type { ByName } from './calls.ts'
import type { Events, Groups } from './groups.ts'
import { METHODS } from './methods.ts'

/** What may accompany a call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Makes a write safe to repeat: with the same key it is carried out once. */
  readonly idempotencyKey?: string | undefined
  /** Only says what a write would do. */
  readonly dryRun?: boolean | undefined
  /** Wants deletes planned first, whatever the key says. */
  readonly confirm?: boolean | undefined
  /** The token of a plan: lets what must be confirmed be done. */
  readonly confirmation?: string | undefined
  /** How often a call is repeated by itself when that is safe and may help; what `connect` was told unless given. */
  readonly retries?: number | undefined
  /** How long each attempt may take; what `connect` was told unless given. */
  readonly timeoutMs?: number | undefined
  /** Hears what is known of a call beside its answer. */
  readonly onOutcome?: ((outcome: CallOutcome) => void) | undefined
}

/** What is known of a call beside its answer. */
export interface CallOutcome {
  /** The line of the audit that a write has left. */
  readonly changeId?: string | undefined
  /** Whether the answer is that of an earlier call with the same key. */
  readonly replayed?: boolean | undefined
}

export interface FollowOptions {
  /** An EventID or a NextCursor: everything after it comes, and then what happens. Without it only what happens from now on. */
  readonly after?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Carries calls to wherever the operations are executed. All throw CrmError when refused. */
export interface Transport {
  call(operation: string, input: unknown, options?: CallOptions): Promise<unknown>
  batch(batch: unknown, options?: CallOptions): Promise<unknown>
  /** Events as they happen, each once and in order, until whoever listens goes or the key ends. */
  follow?(options?: FollowOptions): AsyncIterable<KnownEvent>
  /** Lets go of what was opened. */
  close?(): Promise<void>
}

/** The typed client, the same through every door: `crm.leads.create({ … })`, `crm.call('Create A Lead', { … })`. */
export interface Crm extends Groups {
  readonly events: Events & {
    /** What happens to records, as it happens. It begins when the first event is asked for. */
    follow(options?: FollowOptions): AsyncIterable<KnownEvent>
  }
  /** Any operation by its name, in any spelling; typed where it is the name or the id. */
  readonly call: ByName
  /** Many calls in one go: each for itself, or all or nothing. */
  batch(batch: Batch, options?: CallOptions): Promise<BatchAnswer>
  /** Lets go of what was opened; over HTTP there is nothing to let go of. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Makes the typed client out of a way to carry calls. */
export function clientOf(carrier: Transport): Crm {
  const close = async () => carrier.close?.()
  const client: { [member: string | symbol]: unknown } = {
    call: (operation: string, input: unknown = {}, options?: CallOptions) => carrier.call(operation, input, options),
    batch: (batch: Batch, options?: CallOptions) => carrier.batch(batch, options),
    close,
    // Not every browser knows the symbol yet.
    ...(Symbol.asyncDispose && { [Symbol.asyncDispose]: close }),
  }
  for (const [kind, groups] of Object.entries(METHODS)) {
    for (const [group, methods] of Object.entries<{ readonly [verb: string]: string }>(groups)) {
      if (group !== '') client[group] ??= {}
      const members = group === '' ? client : (client[group] as { [verb: string]: unknown })
      for (const [verb, id] of Object.entries(methods)) {
        const invoke = (input: unknown = {}, options?: CallOptions) => carrier.call(id, input, options)
        members[verb] = invoke
        if (kind === 'page') members[verb.replace('getMany', 'all')] = (input?: object, options?: CallOptions) => everything(invoke, input, options)
      }
    }
  }
  Object.assign(client.events as object, { follow: carrier.follow })
  return client as unknown as Crm
}

/** Large enough that asking costs little, small enough that nobody waits long for the first. */
const PAGE = 500

interface Page {
  readonly Records?: readonly unknown[]
  readonly Events?: readonly unknown[]
  readonly NextCursor: string | null
}

async function* everything(ask: (input: object, options?: CallOptions) => Promise<unknown>, given?: object, options?: CallOptions): AsyncGenerator<unknown> {
  let input: { readonly [member: string]: unknown } = { Limit: PAGE, ...given }
  for (;;) {
    const { Records, Events, NextCursor } = (await ask(input, options)) as Page
    for (const one of Records ?? Events ?? []) {
      options?.signal?.throwIfAborted()
      yield one
    }
    const place = Events ? 'After' : 'Cursor'
    // Events never end; there are no more for now where the cursor stays.
    if (NextCursor === null || NextCursor === input[place]) return
    input = { ...input, [place]: NextCursor }
  }
}
