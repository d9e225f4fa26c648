import { type TLiteral, type TObject, type TOptional, type TProperties, type TString, type TUnsafe, Type } from 'typebox'
import type { Field } from './fields.ts'

/** A record's answer with further members. */
export function detailed<P extends TProperties, M extends TProperties>(stored: TObject<P>, more: M): TObject<P & M> {
  return Type.Object({ ...stored.properties, ...more }) as unknown as TObject<P & M>
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
