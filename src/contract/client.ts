import type { Static } from 'typebox'
import type { Batch, BatchAnswer } from './batch.ts'
import { OPERATIONS } from './operations.ts'

/** What may accompany a call. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /** Makes a write safe to repeat: with the same key it is carried out once. */
  readonly idempotencyKey?: string
  /** Only says what a write would do. */
  readonly dryRun?: boolean
  /** The token of a plan: lets what must be confirmed be done. */
  readonly confirmation?: string
  /** Hears what is known of a call beside its answer. */
  readonly onOutcome?: (outcome: CallOutcome) => void
}

/** What is known of a call beside its answer. */
export interface CallOutcome {
  /** The line of the audit that a write has left. */
  readonly changeId?: string | undefined
  /** Whether the answer is that of an earlier call with the same key. */
  readonly replayed?: boolean | undefined
}

/** Carries calls to wherever the operations are executed. Both throw CrmError when refused. */
export interface Carrier {
  call(operation: string, input: unknown, options?: CallOptions): Promise<unknown>
  batch(batch: unknown, options?: CallOptions): Promise<unknown>
  /** Lets go of what was opened. */
  close?(): Promise<void>
}

type All = (typeof OPERATIONS)[number]
type Group<M extends string> = M extends `${infer G}.${string}` ? G : never
type Member<M extends string, G extends string> = M extends `${G}.${infer V}` ? V : never
type ByMethod<M extends string> = Extract<All, { method: M }>
type Method<O extends All> = (input: Static<O['input']>, options?: CallOptions) => Promise<Static<O['output']>>

/** The typed client, the same through every door: `crm.leads.create({ … })`, `crm.call('Create A Lead', { … })`. */
export type Crm = {
  readonly [G in Group<All['method']>]: { readonly [V in Member<All['method'], G>]: Method<ByMethod<`${G}.${V}`>> }
} & {
  readonly describe: Method<ByMethod<'describe'>>
  /** Any operation by its name, in any spelling. */
  call(operation: string, input?: unknown, options?: CallOptions): Promise<unknown>
  /** Many calls in one go: each for itself, or all or nothing. */
  batch(batch: Batch, options?: CallOptions): Promise<BatchAnswer>
  /** Lets go of what was opened; over HTTP there is nothing to let go of. */
  close(): Promise<void>
}

/** Makes the typed client out of a way to carry calls. */
export function clientOf(carrier: Carrier): Crm {
  const client: Record<string, unknown> = {
    call: (operation: string, input: unknown = {}, options?: CallOptions) => carrier.call(operation, input, options),
    batch: (batch: Batch, options?: CallOptions) => carrier.batch(batch, options),
    close: async () => carrier.close?.(),
  }
  for (const { id, method } of OPERATIONS) {
    const [group, verb] = method.split('.') as [string, string | undefined]
    const invoke = (input: unknown = {}, options?: CallOptions) => carrier.call(id, input, options)
    if (verb === undefined) client[group] = invoke
    else {
      client[group] ??= {}
      ;(client[group] as Record<string, unknown>)[verb] = invoke
    }
  }
  return client as unknown as Crm
}
