import type { Static } from 'typebox'
import type { OPERATIONS } from '../operations.ts'
import type { METHODS } from './methods.ts'
import type { CallOptions } from './transport.ts'

/** The answer of a dry run. */
export interface DryRun<Answer = unknown> {
  readonly DryRun: true
  /** What the write would answer; null in place of ids and secrets that only a real run makes. */
  readonly WouldWrite: { readonly [K in keyof Answer]: Answer[K] | null }
  readonly Difference: { readonly [field: string]: { readonly From: unknown; readonly To: unknown } }
}

/** Options of a call that is executed. */
export interface Carried extends CallOptions {
  readonly dryRun?: false | undefined
}

/** Options of a dry run. */
export interface Tried extends CallOptions {
  readonly dryRun: true
}

type Operations = (typeof OPERATIONS)[number]
type ByMethod<M extends string> = Extract<Operations, { method: M }>

/** What an operation takes and answers with, by its method: `leads.create`. */
export type Input<M extends string> = Static<ByMethod<M>['input']>
export type Answer<M extends string> = Static<ByMethod<M>['output']>

/** One record or event of a page. */
export type One<M extends string> = Answer<M> extends { Records: readonly (infer R)[] } ? R : Answer<M> extends { Events: readonly (infer E)[] } ? E : never

/** One page; the next one begins at `NextCursor`, which is null on the last. */
export type Page<R> = { Records: R[]; NextCursor: string | null }

/** The input may be left out where none of its members is required. */
type Given<I, O> = Record<never, never> extends I ? [input?: I, options?: O] : [input: I, options?: O]

export type Read<I, A> = (...given: Given<I, CallOptions>) => Promise<A>

export interface Write<I, A> {
  (input: I, options: Tried): Promise<DryRun<A>>
  (...given: Given<I, Carried>): Promise<A>
  (input: I, options: CallOptions | undefined): Promise<A | DryRun<A>>
}

export type Everything<I, R> = (...given: Given<I, CallOptions>) => AsyncIterableIterator<R>

/** The id of an operation: its name in snake case. */
type IdOf<Name extends string> = Name extends `${infer First} ${infer Rest}` ? `${Lowercase<First>}_${IdOf<Rest>}` : Lowercase<Name>
type Named = { [O in Operations as O['name'] | IdOf<O['name']>]: O['method'] }
type NamedInput<N extends string> = N extends keyof Named ? Input<Named[N]> : unknown
type NamedAnswer<N extends string> = N extends keyof Named ? Answer<Named[N]> : unknown

type Writes = (typeof METHODS)['write']
type Verbs<Methods> = Methods extends `${infer First} ${infer Rest}` ? Verbs<First> | Verbs<Rest> : Methods extends `${infer Verb}=${string}` ? Verb : Methods
type WriteMethod = { [G in keyof Writes]: `${G}.${Verbs<Writes[G]> & string}` }[keyof Writes]
type NamedTry<N extends string> = N extends keyof Named ? (Named[N] extends WriteMethod ? DryRun<NamedAnswer<N>> : NamedAnswer<N>) : unknown

/** The name of an operation, its id, or any other spelling of it. */
export type OperationName = keyof Named | (string & Record<never, never>)

/** Any operation by its name. */
export interface ByName {
  <const N extends OperationName>(operation: N, input: NamedInput<N>, options: Tried): Promise<NamedTry<N>>
  <const N extends OperationName>(operation: N, ...given: Given<NamedInput<N>, Carried>): Promise<NamedAnswer<N>>
  <const N extends OperationName>(operation: N, input: NamedInput<N>, options: CallOptions | undefined): Promise<NamedAnswer<N> | NamedTry<N>>
}
