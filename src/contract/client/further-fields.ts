import type { FilterValue } from '../record.ts'
import type { Everything, Read, Write } from './calls.ts'
import type { Crm } from './client.ts'

/**
 * The fields that a workspace has beyond the contract, by record type, each with the type of its values: `?` where it may be without one, `readonly`
 * where only the CRM sets it. `crm types` writes it.
 */
export interface FurtherFields {
  readonly Lead?: object
  readonly Opportunity?: object
  readonly Case?: object
  readonly Company?: object
  readonly Contact?: object
  readonly Campaign?: object
}

/** The record type of each group of methods that takes further fields. */
interface Types {
  leads: 'Lead'
  opportunities: 'Opportunity'
  cases: 'Case'
  companies: 'Company'
  contacts: 'Contact'
  campaigns: 'Campaign'
}

/** The client of a workspace with further fields. */
export type CrmWith<F extends FurtherFields> = [keyof F] extends [never]
  ? Crm
  : Omit<Crm, ExtendedGroup<F>> & { readonly [G in ExtendedGroup<F>]: GroupWith<Crm[G], FieldsOf<F, G>> }

type ExtendedGroup<F> = { [G in keyof Types]: Types[G] extends keyof F ? G : never }[keyof Types]
type FieldsOf<F, G extends keyof Types> = Types[G] extends keyof F ? NonNullable<F[Types[G]]> : never

type GroupWith<G, F> = {
  readonly [M in keyof G]: M extends 'create' | 'update' | 'upsert'
    ? G[M] extends Write<infer I, infer A>
      ? Write<InputWith<M, I, F>, AnswerWith<A, F>>
      : G[M]
    : M extends 'get' | 'getMany' | 'getSummary'
      ? G[M] extends Read<infer I, infer A>
        ? Read<InputWith<M, I, F>, AnswerWith<A, F>>
        : G[M]
      : M extends 'all'
        ? G[M] extends Everything<infer I, infer R>
          ? Everything<InputWith<M, I, F>, R & Answered<F>>
          : G[M]
        : G[M]
}

type InputWith<M, I, F> = M extends 'create'
  ? I & Draft<F>
  : M extends 'upsert'
    ? Omit<I, 'MatchBy'> & Partial<Draft<F>> & { MatchBy?: readonly string[] }
    : M extends 'update'
      ? { [K in keyof I]: K extends 'FieldsToUpdate' ? I[K] & Partial<Draft<F>> : I[K] }
      : { [K in keyof I]: K extends 'Filters' ? FiltersWith<NonNullable<I[K]>, F> : K extends 'OrderBy' | 'Select' ? NamesWith<I[K], F> : I[K] }

type AnswerWith<A, F> = A extends { Records: readonly (infer R)[] }
  ? { [K in keyof A]: K extends 'Records' ? (R & Answered<F>)[] : A[K] }
  : A extends { Recent: readonly (infer R)[] }
    ? { [K in keyof A]: K extends 'Recent' ? (R & Answered<F>)[] : A[K] }
    : A & Answered<F>

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Settable<F> = { [K in keyof F]-?: Same<Pick<F, K>, { -readonly [P in keyof Pick<F, K>]: F[P] }> extends true ? K : never }[keyof F]
/** Null where a field may be without a value. */
type OrNull<W> = { [K in keyof W]: Record<never, never> extends Pick<W, K> ? W[K] | null : W[K] }
type Draft<F> = OrNull<Pick<F, Settable<F>>>
/** Records that were there before a field was defined have no value in it. */
type Answered<F> = { -readonly [K in keyof F]-?: Exclude<F[K], undefined> | null }

type FilterFor<V> = [V] extends [readonly unknown[]]
  ? FilterValue<null, 'list'>
  : [V] extends [number]
    ? FilterValue<number, 'number'>
    : [V] extends [boolean]
      ? FilterValue<boolean, 'boolean'>
      : FilterValue<string, 'text'> | FilterValue<string, 'date'>

type FiltersWith<Base, F> = Omit<Base, 'any' | 'not'> & { [K in keyof F]?: FilterFor<NonNullable<F[K]>> } & {
  any?: readonly FiltersWith<Base, F>[]
  not?: FiltersWith<Base, F>
}

type NamesWith<N, F> = N extends readonly (infer One)[] ? readonly (One | (keyof F & string))[] : N | `${keyof F & string}${'' | ' asc' | ' desc'}`
