import { type TLiteral, type TObject, type TOptional, type TProperties, type TString, type TUnsafe, Type } from 'typebox'
import type { Field } from './fields.ts'

/** A record's answer with more members beside its fields. */
export function detailed<P extends TProperties, M extends TProperties>(stored: TObject<P>, more: M): TObject<P & M> {
  return Type.Object({ ...stored.properties, ...more }) as unknown as TObject<P & M>
}

/** What an update answers with. */
export function changed<P extends TProperties>(stored: TObject<P>) {
  return detailed(stored, { UpdatedFields: Type.Array(Type.String(), { description: 'The fields whose value was set by this update.' }) })
}

/** What a delete answers with. */
export function removed<Id extends string>(id: Id) {
  return Type.Object({ [id]: Type.String(), Deleted: Type.Literal(true) } as { [K in Id]: TString } & {
    Deleted: TLiteral<true>
  })
}

/** A text field of a record as an input of its own. */
export const textInput = (f: Field<string, true>) => f.schema as TUnsafe<string>

/** An answer with a secret. The journal never keeps it, so a replayed answer has null and a hint; the type says what the first one has. */
export function withSecret<P extends TProperties, Name extends string>(stored: TObject<P>, name: Name) {
  const secret = Type.Unsafe<string>({ type: ['string', 'null'], description: 'Shown now and never again; null in an answer that is replayed.' })
  return detailed(stored, {
    [name]: secret,
    Hint: Type.Optional(Type.String({ description: 'Why there is no secret in an answer that is replayed.' })),
  } as { [K in Name]: TUnsafe<string> } & { Hint: TOptional<TString> })
}
