import { CrmError } from '../../contract/errors.ts'
import type { RecordType } from '../../contract/record.ts'
import { reasonOf } from '../../helpers/reason-of.ts'

/** So many records of a type are tried again by the next poll. */
const MOST_TRIED = 1_000

/** Records that the store has not taken: they are tried again by the next poll. */
export class Untaken {
  private readonly errors = new Map<string, Map<string, unknown>>()

  add({ name }: RecordType, id: string, error: unknown): void {
    this.errors.set(name, (this.errors.get(name) ?? new Map<string, unknown>()).set(id, error))
  }

  /** Those of a type as its position has them, where there are any. */
  of({ name }: RecordType): { readonly untaken?: readonly string[] } {
    const ids = [...(this.errors.get(name)?.keys() ?? [])]
    return ids.length > 0 ? { untaken: ids.slice(-MOST_TRIED) } : {}
  }

  /** What is said of them; undefined where there are none. */
  get failure(): CrmError | undefined {
    const all = [...this.errors].flatMap(([type, errors]) => [...errors].map(([id, error]) => ({ type, id, error })))
    const [first] = all
    if (!first) return undefined
    const others = all.length > 1 ? `, nor ${all.length - 1} more` : ''
    return new CrmError('internal', `The mirror could not store ${first.type} ${first.id}${others}: ${reasonOf(first.error)}`, {
      hint: 'All others are followed. It is tried again by each poll.',
      cause: first.error,
    })
  }
}
