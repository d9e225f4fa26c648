/// <reference lib="esnext.disposable" preserve="true" />
import type { Batch, BatchAnswer } from '../batch.ts'
import type { KnownEvent } from '../records/event.ts'
import type { ByName } from './calls.ts'
import type { Events, Groups } from './groups.ts'
import { methodsIn } from './method-ids.ts'
import { METHODS } from './methods.ts'
import type { CallOptions, FollowOptions, Transport } from './transport.ts'

/** The typed client, the same over every transport: `crm.leads.create({ … })`, `crm.call('Create A Lead', { … })`. */
export interface Crm extends Groups {
  readonly events: Events & {
    /** Events as they are committed. The stream opens when the first event is requested. */
    follow(options?: FollowOptions): AsyncIterable<KnownEvent>
  }
  /** Any operation by its name, in any spelling; typed where it is the name or the id. */
  readonly call: ByName
  /** Many calls in one request: each for itself, or all or nothing. */
  batch(batch: Batch, options?: CallOptions): Promise<BatchAnswer>
  /** Closes what `connect` opened; over HTTP there is nothing to close. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The typed client over a transport. */
export function clientOf(transport: Transport): Crm {
  const close = async () => transport.close?.()
  const client: { [member: string | symbol]: unknown } = {
    call: (operation: string, input: unknown = {}, options?: CallOptions) => transport.call(operation, input, options),
    batch: (batch: Batch, options?: CallOptions) => transport.batch(batch, options),
    close,
    // Not every browser knows the symbol yet.
    ...(Symbol.asyncDispose && { [Symbol.asyncDispose]: close }),
  }
  for (const [kind, groups] of Object.entries(METHODS)) {
    for (const [group, methods] of Object.entries<string>(groups)) {
      if (group !== '') client[group] ??= {}
      const members = group === '' ? client : (client[group] as { [verb: string]: unknown })
      for (const [verb, id] of methodsIn(group, methods)) {
        const invoke = (input: unknown = {}, options?: CallOptions) => transport.call(id, input, options)
        members[verb] = invoke
        if (kind === 'page') members[verb.replace('getMany', 'all')] = (input?: object, options?: CallOptions) => everything(invoke, input, options)
      }
    }
  }
  Object.assign(client.events as object, { follow: transport.follow })
  return client as unknown as Crm
}

/** Large enough that requests cost little, small enough that the first records come soon. */
const PAGE = 500

interface Page {
  readonly Records?: readonly unknown[]
  readonly Events?: readonly unknown[]
  readonly NextCursor: string | null
}

async function* everything(call: (input: object, options?: CallOptions) => Promise<unknown>, given?: object, options?: CallOptions): AsyncGenerator<unknown> {
  let input: { readonly [member: string]: unknown } = { Limit: PAGE, ...given }
  for (;;) {
    const { Records, Events, NextCursor } = (await call(input, options)) as Page
    for (const one of Records ?? Events ?? []) {
      options?.signal?.throwIfAborted()
      yield one
    }
    const place = Events ? 'After' : 'Cursor'
    // The events so far are read once the cursor stays the same.
    if (NextCursor === null || NextCursor === input[place]) return
    input = { ...input, [place]: NextCursor }
  }
}
