import { type Static, type TLiteral, type TObject, type TOptional, type TProperties, type TSchema, type TString, type TUnsafe, Type } from 'typebox'
import { type Field, nullable } from './fields.ts'
import { type RecordType, referencesOf } from './record.ts'

/** A record's answer with further members. */
export function detailed<P extends TProperties, M extends TProperties>(stored: TObject<P>, more: M): TObject<P & M> {
  return Type.Object({ ...stored.properties, ...more }) as unknown as TObject<P & M>
}

/** A record's answer with the records that `Include` asks for: those behind its references, by name, in the order of the fields. */
export function withIncluded<P extends TProperties, R extends Referred>(type: { readonly stored: TObject<P> }, referred: R): TObject<P & Included<R>> {
  return detailed(type.stored, includedAs(Object.keys(referred))) as never
}

/** The members that show the records behind a type's references. */
export function includedIn(type: Pick<RecordType, 'fields'>): TProperties {
  return includedAs(referencesOf(type).map(({ name }) => name))
}

function includedAs(names: readonly string[]): TProperties {
  const description = 'Where Include asks for it: the record, or null where there is none that you may see.'
  return Object.fromEntries(names.map((name) => [name, Type.Optional(nullable(Type.Unsafe({ type: 'object', description })))]))
}

/** The types of the records behind references, by the names that `Include` has for them. */
type Referred = { readonly [name: string]: { readonly stored: TSchema } }
type Included<R extends Referred> = { [N in keyof R]: TOptional<TUnsafe<Static<R[N]['stored']> | null>> }

/** The answer of an upsert. */
export function upserted<P extends TProperties>(stored: TObject<P>) {
  return detailed(stored, {
    Created: Type.Boolean({ description: 'Whether there was none, so that it was created.' }),
    UpdatedFields: Type.Array(Type.String(), {
      description: 'The fields of the one that matched that were set; empty where it had these values already, so that nothing was changed.',
    }),
  })
}

/** The answer of an update. */
export function changed<P extends TProperties>(stored: TObject<P>) {
  return detailed(stored, {
    UpdatedFields: Type.Array(Type.String(), {
      description: 'The fields that were set; empty where the record had these values already, so that nothing was changed.',
    }),
  })
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
