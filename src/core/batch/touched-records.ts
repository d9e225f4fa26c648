import { NAMED } from '../call/loss.ts'
import type { RecordChange } from '../journal/changes.ts'

export type Difference = { readonly [field: string]: { readonly From: unknown; readonly To: unknown } }

interface Touched {
  readonly id: string
  readonly isTaken: boolean
  readonly names: { readonly [id: string]: string }
  readonly difference: Difference
}

/** The records that a batch takes away or changes, each counted once, however many calls are about it. One that is changed and then deleted is taken away. */
export class TouchedRecords {
  private readonly all = new Map<string, Touched>()

  add(change: RecordChange, { isTaken, names, difference }: Omit<Touched, 'id'>): void {
    const key = keyOf(change)
    const earlier = this.all.get(key)
    this.all.set(key, {
      id: change.id,
      isTaken: isTaken || earlier?.isTaken === true,
      names: { ...earlier?.names, ...names },
      difference: joined(earlier?.difference ?? {}, difference),
    })
  }

  /** Their numbers and the names of the first, with what would change of them: those taken away first, each kind with a limit of its own. */
  shown() {
    const all = [...this.all.values()]
    const [taken, changed] = [all.filter(({ isTaken }) => isTaken), all.filter(({ isTaken }) => !isTaken)]
    const named = changed.slice(0, NAMED)
    return {
      Deletes: taken.length,
      ...(changed.length > 0 && { Updates: changed.length, Differences: Object.fromEntries(named.map(({ id, difference }) => [id, difference])) }),
      Names: Object.assign({}, ...[...taken.slice(0, NAMED), ...named].map(({ names }) => names)) as Touched['names'],
    }
  }
}

/** Notes, comments and memberships are taken from a record, each for itself. */
const keyOf = ({ record, id, on, before, after }: RecordChange) => JSON.stringify([record.name, id, on && (before ?? after)])

/** Each field from its first value to its last; those that have their first value again are left out. */
function joined(earlier: Difference, later: Difference): Difference {
  const fields = Object.entries(later).map(([field, { From, To }]) => [field, { From: earlier[field] ? earlier[field].From : From, To }] as const)
  const all = Object.entries({ ...earlier, ...Object.fromEntries(fields) })
  return Object.fromEntries(all.filter(([, { From, To }]) => JSON.stringify(From) !== JSON.stringify(To)))
}
