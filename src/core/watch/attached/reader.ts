import { isCondition } from '../../../contract/conditions.ts'
import { recordType } from '../../../contract/operations.ts'
import type { RecordType } from '../../../contract/record.ts'
import type { Condition, Query, Reader, Where } from '../../../platforms/platform.ts'
import { parentField } from '../../call/records.ts'
import { ofParent, recordIn, rowKey, withParent } from './rows.ts'

/** A mirror as the platform would answer: notes and comments by their own ids, and by those of their parents. */
export function showingAttached(mirror: Reader): Reader {
  return {
    ...mirror,
    async getWithTotals(type, id) {
      const record = await mirror.get(type, id)
      if (!record) return undefined
      const totals = recordType(type).children.map(async ({ list, type: child }) => {
        return [list, await mirror.count(child, [ofParent(recordType(child), type, id)])] as const
      })
      return { record, totals: Object.fromEntries(await Promise.all(totals)) }
    },
    find(name, query) {
      const type = recordType(name)
      return type.childOf ? findAttached(mirror, type, query) : mirror.find(name, query)
    },
  }
}

async function findAttached(mirror: Reader, type: RecordType, query: Query) {
  const { records, more } = await mirror.find(type.name, queryOf(type, query))
  return { records: records.map((row) => recordIn(type, row)), more }
}

/** A query by the ids that rows have. */
function queryOf(type: RecordType, { on = type.childOf?.types[0] ?? '', ...query }: Query): Query {
  const isParent = (one: Where): one is Condition => isCondition(one) && one.field === parentField(type) && one.operator === 'eq'
  const parent = query.where.find(isParent)?.value
  if (typeof parent !== 'string') return { ...query, where: [...query.where, withParent(type)] }
  const { after } = query
  return {
    ...query,
    where: query.where.map((one) => (isParent(one) ? ofParent(type, on, parent) : one)),
    ...(after && { after: { ...after, id: rowKey(type, after.id, on, parent) } }),
  }
}
