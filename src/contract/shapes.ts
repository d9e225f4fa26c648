import { type TLiteral, type TObject, type TOptional, type TProperties, type TString, type TUnsafe, Type } from 'typebox'
import { type Field, nullable } from './fields.ts'
import { type RecordType, referencesOf, type Stored } from './record.ts'
import type { Campaign } from './records/campaign.ts'
import type { Case } from './records/case.ts'
import type { Company } from './records/company.ts'
import type { Contact } from './records/contact.ts'
import type { Lead } from './records/lead.ts'
import type { Opportunity } from './records/opportunity.ts'
import type { User } from './records/user.ts'

/** A record's answer with further members. */
export function detailed<P extends TProperties, M extends TProperties>(stored: TObject<P>, more: M): TObject<P & M> {
  return Type.Object({ ...stored.properties, ...more }) as unknown as TObject<P & M>
}

/** A record's answer with the records that `Include` asks for. */
export function withIncluded<P extends TProperties, Id extends string>(
  type: { readonly id: Id; readonly stored: TObject<P> } & Pick<RecordType, 'fields'>,
): TObject<P & Included<Omit<P, Id>>> {
  return detailed(type.stored, includedIn(type)) as never
}

/** The members that show the records behind a type's references. */
export function includedIn(type: Pick<RecordType, 'fields'>): TProperties {
  const description = 'Where Include asks for it: the record, or null where there is none that you may see.'
  return Object.fromEntries(referencesOf(type).map(({ name }) => [name, Type.Optional(nullable(Type.Unsafe({ type: 'object', description })))]))
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
export interface ReferredTypes {
  Company: 'Company'
  Contact: 'Contact'
  Campaign: 'Campaign'
  Parent: 'Case'
  Owner: 'User'
}

/** The records behind the references that are among these fields: Company for CompanyID. */
type Included<P> = {
  [N in keyof ReferredTypes as `${N}ID` extends keyof P ? N : never]: TOptional<TUnsafe<ReferredRecords[ReferredTypes[N]] | null>>
}

/** The answer of an upsert. */
export function upserted<P extends TProperties>(stored: TObject<P>) {
  return detailed(stored, { Created: Type.Boolean({ description: 'Whether there was none, so that it was created.' }) })
}

/** The answer of an update. */
export function changed<P extends TProperties>(stored: TObject<P>) {
  return detailed(stored, { UpdatedFields: Type.Array(Type.String(), { description: 'The fields whose value was set by this update.' }) })
}

/** The answer of a delete. */
export function removed<Id extends string>(id: Id) {
  return Type.Object({ [id]: Type.String(), Deleted: Type.Literal(true) } as { [K in Id]: TString } & {
    Deleted: TLiteral<true>
  })
}

/** The answer of a delete of what other records may refer to. */
export function removedWithReferences<Id extends string>(id: Id) {
  return detailed(removed(id), {
    Emptied: Type.Optional(
      Type.Unsafe<Record<string, number>>({
        type: 'object',
        additionalProperties: { type: 'integer' },
        description: 'How many records of each type referred to it, and no longer do; left out where there were none.',
      }),
    ),
  })
}

/** A text field of a record as an input of its own. */
export const textInput = (f: Field<string, true>) => f.schema as TUnsafe<string>

/** An answer with a secret, which the journal never stores: a replayed answer has null and a hint. The type is that of the first answer. */
export function withSecret<P extends TProperties, Name extends string>(stored: TObject<P>, name: Name) {
  const secret = Type.Unsafe<string>({ type: ['string', 'null'], description: 'Shown only once; null in a replayed answer.' })
  return detailed(stored, {
    [name]: secret,
    Hint: Type.Optional(Type.String({ description: 'Why a replayed answer has no secret.' })),
  } as { [K in Name]: TUnsafe<string> } & { Hint: TOptional<TString> })
}
