import { type TLiteral, type TObject, type TProperties, type TString, type TUnsafe, Type } from 'typebox'
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
