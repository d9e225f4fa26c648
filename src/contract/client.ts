import type { Static } from 'typebox'
import { OPERATIONS } from './operations.ts'

/** What may accompany a call. */
export interface CallOptions {
  readonly signal?: AbortSignal
}

/** Carries one call to wherever the operations are executed, and throws CrmError when refused. */
export type Send = (operation: string, input: unknown, options?: CallOptions) => Promise<unknown>

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
}

/** Makes the typed client out of a way to carry a call. */
export function clientOf(send: Send): Crm {
  const client: Record<string, unknown> = { call: (operation: string, input: unknown = {}, options?: CallOptions) => send(operation, input, options) }
  for (const { id, method } of OPERATIONS) {
    const [group, verb] = method.split('.') as [string, string | undefined]
    const invoke = (input: unknown = {}, options?: CallOptions) => send(id, input, options)
    if (verb === undefined) client[group] = invoke
    else {
      client[group] ??= {}
      ;(client[group] as Record<string, unknown>)[verb] = invoke
    }
  }
  return client as unknown as Crm
}
