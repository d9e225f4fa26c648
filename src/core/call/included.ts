import { type RecordType, type Referring, referencesOf } from '../../contract/record.ts'
import type { Context } from './types.ts'

/** The references whose records a call asks for. */
export function includedBy({ input }: Pick<Context, 'input'>, type: RecordType): readonly Referring[] {
  const names = (input.Include ?? []) as readonly string[]
  return names.length === 0 ? [] : referencesOf(type).filter(({ name }) => names.includes(name))
}
