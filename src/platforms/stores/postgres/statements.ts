import type { QueryConfig } from 'pg'
import type { Parameter } from '../sql/conditions.ts'

/** So many statements are kept prepared on each connection. */
const KEPT = 400
/** One that is used less often than this is not worth it. */
const OFTEN = 3

interface Known {
  readonly text: string
  readonly name: string
  uses: number
}

const known = new Map<string, Known>()
let seen = 0
let named = 0

export interface Statement extends QueryConfig {
  readonly rowMode: 'array'
}

/** A statement as it is sent. Those that are used again and again are prepared once on each connection, unless that is not possible. */
export function statementOf(sql: string, bind: readonly Parameter[], mayPrepare: boolean): Statement {
  let one = known.get(sql)
  if (!one) {
    // Filters make statements without end; those that nobody used again are forgotten.
    if (known.size > 10 * KEPT) for (const [text, { uses }] of known) if (uses < OFTEN) known.delete(text)
    let place = 0
    one = { text: sql.replaceAll('?', () => `$${++place}`), name: `crm_${++seen}`, uses: 0 }
    known.set(sql, one)
  }
  one.uses++
  if (one.uses === OFTEN) named++
  const values = bind as Parameter[]
  return mayPrepare && one.uses >= OFTEN && named <= KEPT
    ? { name: one.name, text: one.text, values, rowMode: 'array' }
    : { text: one.text, values, rowMode: 'array' }
}
