import type { Order } from '../../platform.ts'
import { OWN, quoted, type Table } from './tables.ts'

/** The values of fields that a workspace has defined, inside their column. */
export function ownValue({ dialect }: Table, { name = '', indexed = false, family = 'text' }: Pick<Order, 'name' | 'indexed' | 'family'>, row: string): string {
  if (!/^[A-Za-z]\w*$/.test(name)) throw new Error('A field has a name that is none.')
  return dialect.inJson(`${row}.${quoted(OWN)}`, [indexed ? 'indexed' : 'plain', name], family)
}
