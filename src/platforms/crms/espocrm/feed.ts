import { recordType } from '../../../contract/operations.ts'
import type { Condition } from '../../platform.ts'
import type { AttachedType, Changed, ChangedPage, ChangeQuery, CrmDriver } from '../engine/driver.ts'
import type { Table, Tables } from '../engine/tables.ts'
import { unreachable } from '../engine/translation.ts'
import type { WithCurrencies } from './currencies.ts'
import type { Memberships } from './memberships.ts'
import { published } from './notes.ts'
import type { Records } from './records.ts'
import { recordShape } from './shapes.ts'
import { COMMON } from './tables.ts'

interface FeedParts {
  /** As an administrator, who alone is shown the posts of all users; undefined where there is none. */
  readonly records: Records | undefined
  readonly memberships: Memberships
  readonly tables: Tables
  readonly currencies: WithCurrencies
}

const SECOND_MS = 1000

/** What is attached to records of all kinds. */
export function createAttached({ records, memberships, tables, currencies }: FeedParts): Required<CrmDriver>['attached'] {
  /** A post with when it was changed, and what its parent record is. */
  function shapeOf(type: AttachedType) {
    const table: Table | undefined = tables[type]
    if (!table) throw unreachable(`EspoCRM has no place for ${type}.`)
    const { UpdatedDate } = COMMON
    return recordShape(type, { ...table, fields: { ...table.fields, UpdatedDate, ParentType: { name: 'parentType', kind: 'text' } } }, currencies)
  }

  async function posts(all: Records, type: AttachedType, { since, size, cursor }: ChangeQuery): Promise<ChangedPage> {
    const types = new Map((recordType(type).childOf?.types ?? []).map((parent) => [tables[parent]?.object ?? parent, parent]))
    const where: Condition[] = [{ field: 'ParentType', family: 'text', operator: 'in', value: [...types.keys()] }]
    if (since !== undefined) {
      const value = new Date(since - (since % SECOND_MS)).toISOString()
      where.push({ field: 'UpdatedDate', family: 'timestamp', operator: 'gte', value })
    }
    const order = { field: 'UpdatedDate', descending: false }
    const page = await all.find(shapeOf(type), { where, order, size, ...(cursor !== undefined && { cursor }) })
    const found = page.records.flatMap(({ UpdatedDate, ParentType, ...record }): Changed[] => {
      const on = types.get(String(ParentType))
      return on === undefined ? [] : [{ record: published(record), at: Date.parse(String(UpdatedDate)), on }]
    })
    return { records: found, ...(page.cursor !== undefined && { cursor: page.cursor }) }
  }

  return async (type, query) => (type === 'Membership' ? memberships.all(query.cursor) : records && posts(records, type, query))
}
