import { recordType } from '../../../contract/operations.ts'
import type { Condition, StoredRecord } from '../../platform.ts'
import type { AttachedPage, AttachedType, Changed, ChangeQuery, CrmDriver } from '../engine/driver.ts'
import type { Table, Tables } from '../engine/tables.ts'
import { unreachable } from '../engine/translation.ts'
import type { WithCurrencies } from './currencies.ts'
import { type Memberships, onLead } from './memberships.ts'
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

type AttachedOperations = Required<Pick<CrmDriver, 'attached' | 'getAttached' | 'attachedTo' | 'countAttached' | 'findAttached' | 'campaignSizes'>>

const SECOND_MS = 1000

/** What is attached to records of all kinds. */
export function createAttached({ records, memberships, tables, currencies }: FeedParts): AttachedOperations {
  /** A post with when it was changed, and what its parent record is. */
  function shapeOf(type: AttachedType) {
    const table: Table | undefined = tables[type]
    if (!table) throw unreachable(`EspoCRM has no place for ${type}.`)
    const { UpdatedDate } = COMMON
    return recordShape(type, { ...table, fields: { ...table.fields, UpdatedDate, ParentType: { name: 'parentType', kind: 'text' } } }, currencies)
  }

  const typesOf = (type: AttachedType) => new Map((recordType(type).childOf?.types ?? []).map((parent) => [tables[parent]?.object ?? parent, parent]))

  const onOurs = (type: AttachedType): Condition => ({ field: 'ParentType', family: 'text', operator: 'in', value: [...typesOf(type).keys()] })

  async function posts(all: Records, type: AttachedType, { since, size, cursor }: ChangeQuery): Promise<AttachedPage> {
    const where = [onOurs(type)]
    if (since !== undefined) {
      const value = new Date(since - (since % SECOND_MS)).toISOString()
      where.push({ field: 'UpdatedDate', family: 'timestamp', operator: 'gte', value })
    }
    const order = { field: 'UpdatedDate', descending: false }
    const page = await all.find(shapeOf(type), { where, order, size, ...(cursor !== undefined && { cursor }) })
    return { records: withParents(type, page.records), ...(page.cursor !== undefined && { cursor: page.cursor }) }
  }

  function withParents(type: AttachedType, found: readonly StoredRecord[]): Changed[] {
    const types = typesOf(type)
    return found.flatMap(({ UpdatedDate, ParentType, ...record }) => {
      const on = types.get(String(ParentType))
      return on === undefined ? [] : [{ record: published(record), at: Date.parse(String(UpdatedDate)), on }]
    })
  }

  return {
    attached: async (type, query) => (type === 'Membership' ? memberships.all(query.cursor) : records && posts(records, type, query)),
    async getAttached(type, ids) {
      if (type === 'Membership') return { records: (await memberships.get(ids)).map(onLead) }
      return { records: records ? withParents(type, await records.get(shapeOf(type), ids)) : [] }
    },
    async attachedTo(type, on, parents, query) {
      if (!records || type === 'Membership') return { records: [] }
      const where: Condition[] = [
        { field: 'ParentType', family: 'text', operator: 'eq', value: tables[on]?.object ?? on },
        { field: recordType(type).childOf?.field ?? '', family: 'text', operator: 'in', value: [...parents] },
      ]
      const order = { field: 'CreatedDate', descending: false }
      return records.find(shapeOf(type), { where, order, fields: [], ...query })
    },
    countAttached: async (type, where) => (records ? records.count(shapeOf(type), { where: [onOurs(type), ...where] }) : 0),
    findAttached: async (type, query) => (records ? records.find(shapeOf(type), { ...query, where: [onOurs(type), ...query.where] }) : { records: [] }),
    campaignSizes: () => memberships.sizes(),
  }
}
