import type { FilterValue, Stored } from '../record.ts'
import type { Campaign } from '../records/campaign.ts'
import type { Case } from '../records/case.ts'
import type { Company } from '../records/company.ts'
import type { Contact } from '../records/contact.ts'
import type { Lead } from '../records/lead.ts'
import type { Opportunity } from '../records/opportunity.ts'
import type { User } from '../records/user.ts'
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
  /** The types of the records behind the references among these fields, by record type and by the names that `Include` has for them. */
  readonly References?: { readonly [type in Types[keyof Types]]?: { readonly [name: string]: keyof ReferredRecords } }
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

/** The answers of the record types that references lead to. */
export interface ReferredRecords {
  Lead: Stored<typeof Lead>
  Opportunity: Stored<typeof Opportunity>
  Case: Stored<typeof Case>
  Company: Stored<typeof Company>
  Contact: Stored<typeof Contact>
  Campaign: Stored<typeof Campaign>
  User: Stored<typeof User>
}

/** The types of the records behind the contract's references, by the names that `Include` has for them. */
interface ReferredTypes {
  Company: 'Company'
  Contact: 'Contact'
  Campaign: 'Campaign'
  Parent: 'Case'
  Owner: 'User'
}

/** The record types that the references of each group lead to, as far as those take further fields. */
interface Referred {
  leads: never
  opportunities: 'Company' | 'Contact' | 'Campaign'
  cases: 'Company' | 'Contact' | 'Case'
  companies: never
  contacts: 'Company'
  campaigns: never
}

/** The client of a workspace with further fields. */
export type CrmWith<F extends FurtherFields> = [keyof F] extends [never]
  ? Crm
  : Omit<Crm, ExtendedGroup<F>> & { readonly [G in ExtendedGroup<F>]: GroupWith<Crm[G], FieldsOf<F, Types[G]>, Types[G], F> }

/** The groups that answer with further fields: of their own records, or of those behind references. */
type ExtendedGroup<F> = { [G in keyof Types]: (Types[G] | Referred[G]) & keyof F extends never ? never : G }[keyof Types]
type FieldsOf<F, T> = T extends keyof F ? NonNullable<F[T]> : Record<never, never>

/** The methods of a group whose records are of type T, with its further fields F among all those that the workspace has. */
type GroupWith<G, F, T, All> = {
  readonly [M in keyof G]: M extends 'create' | 'update' | 'upsert'
    ? G[M] extends Write<infer I, infer A>
      ? Write<InputWith<M, I, F>, AnswerWith<A, F>>
      : G[M]
    : M extends 'getSummary'
      ? G[M] extends Read<infer I, infer A>
        ? Read<InputWith<M, I, F>, AnswerWith<A, F>>
        : G[M]
      : M extends 'get' | 'getMany'
        ? G[M] extends Read<infer I, infer A>
          ? Read<InputWith<M, I, F>, AnswerWith<A, F, Behind<T, All>>>
          : G[M]
        : M extends 'all'
          ? G[M] extends Everything<infer I, infer R>
            ? Everything<InputWith<M, I, F>, R & Answered<F> & Behind<T, All>>
            : G[M]
          : G[M]
}

/** A record behind a reference, with the further fields of its type. */
type Whole<T, All> = T extends keyof ReferredRecords ? ReferredRecords[T] & Answered<FieldsOf<All, T>> : never

/** The records that Include adds to one of type T: behind the contract's references, and behind those of the workspace. */
type Behind<T, All> = {
  [N in keyof ReferredTypes as `${N}ID` extends Exclude<keyof ReferredRecords[T & keyof ReferredRecords], `${T & string}ID`> ? N : never]?: Whole<
    ReferredTypes[N],
    All
  > | null
} & (All extends { References: infer R } ? (T extends keyof R ? { [N in keyof R[T]]?: Whole<R[T][N], All> | null } : unknown) : unknown)

type InputWith<M, I, F> = M extends 'create'
  ? I & Draft<F>
  : M extends 'upsert'
    ? Omit<I, 'MatchBy'> & Partial<Draft<F>> & { MatchBy?: readonly string[] }
    : M extends 'update'
      ? { [K in keyof I]: K extends 'FieldsToUpdate' ? I[K] & Partial<Draft<F>> : I[K] }
      : { [K in keyof I]: K extends 'Filters' ? FiltersWith<NonNullable<I[K]>, F> : K extends 'OrderBy' | 'Select' ? NamesWith<I[K], F> : I[K] }

type AnswerWith<A, F, More = unknown> = A extends { Records: readonly (infer R)[] }
  ? { [K in keyof A]: K extends 'Records' ? (R & Answered<F> & More)[] : A[K] }
  : A extends { Recent: readonly (infer R)[] }
    ? { [K in keyof A]: K extends 'Recent' ? (R & Answered<F>)[] : A[K] }
    : A & Answered<F> & More

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
