import type { QueryConfig } from 'pg'
import type { Parameter } from '../sql/dialect.ts'

/** A statement is prepared once it was used this often. */
const OFTEN = 3
/** How many statements stay prepared on each connection, and of how many the uses are counted: the least recently used goes first. */
export const PREPARED = 400
const COUNTED = 10 * PREPARED

interface Counted {
  readonly text: string
  readonly name: string
  uses: number
}

const counted = new Map<string, Counted>()
let names = 0

export interface Statement extends QueryConfig {
  readonly rowMode: 'array'
}

/** Marks an entry as the one used last. */
function touch<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
}

function countUse(sql: string): Counted {
  let one = counted.get(sql)
  if (!one) {
    let place = 0
    one = { text: sql.replaceAll('?', () => `$${++place}`), name: `crm_${++names}`, uses: 0 }
    if (counted.size >= COUNTED) counted.delete(counted.keys().next().value as string)
  }
  one.uses++
  touch(counted, sql, one)
  return one
}

/** The statements that are prepared on one connection. */
export class Prepared {
  private readonly names = new Map<string, true>()

  /** A statement as it is sent: by name once it is used often. Without `prepared`, as behind a pooler, it never is. */
  static statement(sql: string, bind: readonly Parameter[], prepared: Prepared | undefined): Statement {
    const { text, name, uses } = countUse(sql)
    const values = bind as Parameter[]
    if (!prepared || uses < OFTEN) return { text, values, rowMode: 'array' }
    touch(prepared.names, name, true)
    return { name, text, values, rowMode: 'array' }
  }

  /** The names to be deallocated, so that filters, which make statements without end, neither fill the server's memory nor keep new ones from being prepared. */
  surplus(): string[] {
    const names = [...this.names.keys()].slice(0, Math.max(0, this.names.size - PREPARED))
    for (const name of names) this.names.delete(name)
    return names
  }
}
