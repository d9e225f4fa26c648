import { beforeEach, describe, expect, test } from 'vitest'
import { type Body, espocrm, where } from './espocrm-client.ts'

const crm = espocrm()

beforeEach(async () => {
  for (const [lastName, more] of Object.entries(LEADS)) await crm.post('Lead', { lastName, ...more })
  crm.simulator.advance(1000)
})

const LEADS = {
  Ada: { status: 'New', opportunityAmount: 10, emailAddress: 'Ada@x.example', title: '50% off' },
  bob: { status: 'Dead', opportunityAmount: 9, doNotCall: true, title: 'a_b' },
  Cyd: { status: 'Assigned', description: 'O\'Brien "q" \\ 😀' },
  ада: { status: 'Dead', opportunityAmount: 100, title: 'axb' },
}

const names = async (query: string) => (await crm.get(`Lead?${query}`)).body.list.map(({ lastName }) => lastName)

describe('filters', () => {
  test.each<[object, string]>([
    [{ type: 'equals', attribute: 'lastName', value: 'ada' }, ''],
    [{ type: 'equals', attribute: 'emailAddress', value: 'ADA@X.example' }, 'Ada'],
    [{ type: 'notEquals', attribute: 'emailAddress', value: 'ada@x.example' }, 'bob Cyd ада'],
    [{ type: 'contains', attribute: 'lastName', value: 'B' }, 'bob'],
    [{ type: 'contains', attribute: 'lastName', value: 'АД' }, 'ада'],
    [{ type: 'startsWith', attribute: 'emailAddress', value: 'ada@' }, 'Ada'],
    [{ type: 'endsWith', attribute: 'lastName', value: 'D' }, 'Cyd'],
    [{ type: 'notContains', attribute: 'title', value: 'off' }, 'bob ада'],
    [{ type: 'like', attribute: 'title', value: 'a_b' }, 'bob ада'],
    [{ type: 'like', attribute: 'title', value: 'a\\_b' }, 'bob'],
    [{ type: 'contains', attribute: 'title', value: '50%o' }, 'Ada'],
    [{ type: 'notEquals', attribute: 'title', value: 'axb' }, 'Ada bob'],
    [{ type: 'notEquals', attribute: 'opportunityAmount', value: 10 }, 'bob ада'],
    [{ type: 'in', attribute: 'status', value: ['New', 'Assigned'] }, 'Ada Cyd'],
    [{ type: 'in', attribute: 'status', value: [] }, ''],
    [{ type: 'notIn', attribute: 'title', value: ['axb'] }, 'Ada bob'],
    [{ type: 'isNull', attribute: 'opportunityAmount' }, 'Cyd'],
    [{ type: 'isNotNull', attribute: 'emailAddress' }, 'Ada'],
    [{ type: 'isTrue', attribute: 'doNotCall' }, 'bob'],
    [{ type: 'isFalse', attribute: 'doNotCall' }, 'Ada Cyd ада'],
    [{ type: 'greaterThan', attribute: 'opportunityAmount', value: '9' }, 'Ada ада'],
    [{ type: 'lessThanOrEquals', attribute: 'opportunityAmount', value: 10 }, 'Ada bob'],
    [{ type: 'between', attribute: 'opportunityAmount', value: [9.5, 100] }, 'Ada ада'],
    [{ type: 'equals', attribute: 'description', value: 'O\'Brien "q" \\ 😀' }, 'Cyd'],
    [{ type: 'today', attribute: 'createdAt', dateTime: true, timeZone: 'UTC' }, 'Ada bob Cyd ада'],
    [{ type: 'past', attribute: 'createdAt', dateTime: true }, 'Ada bob Cyd ада'],
    [{ type: 'future', attribute: 'createdAt', dateTime: true }, ''],
    [{ type: 'on', attribute: 'createdAt', value: '2001-01-01', dateTime: true }, ''],
    [{ type: 'lastMonth', attribute: 'createdAt', dateTime: true }, ''],
    [{ type: 'currentYear', attribute: 'createdAt', dateTime: true }, 'Ada bob Cyd ада'],
    [{ type: 'isNotLinked', attribute: 'targetLists' }, 'Ada bob Cyd ада'],
    [
      {
        type: 'or',
        value: [
          { type: 'equals', attribute: 'status', value: 'New' },
          {
            type: 'and',
            value: [
              { type: 'equals', attribute: 'status', value: 'Dead' },
              { type: 'isTrue', attribute: 'doNotCall' },
            ],
          },
        ],
      },
      'Ada bob',
    ],
  ])('%j', async (item, expected) => {
    expect((await names(`orderBy=createdAt&order=asc&${where(item as never)}`)).toSorted().join(' ')).toBe(expected.split(' ').toSorted().join(' '))
  })

  test.each<[string, number, string | null]>([
    [where({ type: 'equals', attribute: 'opportunityAmount', value: 'x' }), 500, null],
    [where({ type: 'greaterThan', attribute: 'createdAt', value: '2026-02-30' }), 500, null],
    [where({ type: 'endsWith', attribute: 'lastName', value: '\\' }), 500, null],
    [where({ type: 'in', attribute: 'status', value: 'New' }), 400, "Bad where item 'in'."],
    [where({ attribute: 'status', value: 'New' }), 400, "Bad where item. No 'type'."],
    [where({ type: 'equals', value: 'New' }), 500, null],
    [where({ type: 'equals', attribute: '__proto__', value: 'New' }), 400, "Not existing attribute '__proto__' in where."],
    [where({ type: 'equals', attribute: 'LOWER:(lastName)', value: 'New' }), 403, 'Complex expressions are forbidden in where.'],
    [where({ type: 'not', value: [{ type: 'equals', attribute: 'title', value: 'axb' }] }), 403, 'Sub-queries are forbidden in where.'],
    [where({ type: 'today', attribute: 'createdAt', dateTime: true, timeZone: 'Nowhere/Never' }), 400, 'Bad timezone'],
    ['searchParams=nonsense', 400, 'Invalid search params JSON.'],
    ['orderBy=nonsense', 400, "Order by non-existing field 'nonsense'."],
    ['orderBy=createdBy.name', 403, "Complex expressions are forbidden in 'orderBy'."],
    ['order=sideways', 400, 'order value is bad.'],
    ['maxSize=201', 403, 'Max size should not exceed 200. Use offset and limit.'],
    ['offset=-1', 500, null],
  ])('%s is refused', async (query, status, reason) => {
    expect(await crm.get(`Lead?${query}`)).toMatchObject({ status, reason, body: '' })
  })

  test('come as parameters as well as in JSON', async () => {
    const query = new URLSearchParams([
      ['whereGroup[0][type]', 'or'],
      ['whereGroup[0][value][0][type]', 'in'],
      ['whereGroup[0][value][0][attribute]', 'status'],
      ['whereGroup[0][value][0][value][]', 'New'],
      ['whereGroup[0][value][0][value][]', 'Assigned'],
      ['whereGroup[0][value][1][type]', 'isTrue'],
      ['whereGroup[0][value][1][attribute]', 'doNotCall'],
    ])
    expect(await names(query.toString())).toEqual(['Cyd', 'bob', 'Ada'])
  })
})

describe('order', () => {
  test.each([
    ['', 'ада Cyd bob Ada'],
    ['orderBy=createdAt&order=asc', 'Ada bob Cyd ада'],
    ['orderBy=lastName&order=asc', 'Ada bob Cyd ада'],
    ['orderBy=opportunityAmount&order=asc', 'bob Ada ада Cyd'],
    ['orderBy=opportunityAmount&order=desc', 'Cyd ада Ada bob'],
    ['orderBy=status', 'Ada Cyd bob ада'],
    ['orderBy=status&order=desc', 'ада bob Cyd Ada'],
    ['sortBy=lastName&asc=false', 'ада Cyd bob Ada'],
    ['maxSize=2&offset=1', 'Cyd bob'],
    ['q=c', 'Cyd'],
    ['primaryFilter=actual', 'Cyd Ada'],
  ])('%s', async (query, expected) => {
    expect((await names(query)).join(' ')).toBe(expected)
  })
})

test('a list says whether there is more where nobody wants the total', async () => {
  const headers = { 'x-api-key': 'simulator', 'x-no-total': 'true' }
  expect((await crm.get('Lead?maxSize=3', headers)).body).toMatchObject({ total: -1 })
  expect((await crm.get('Lead?maxSize=4', headers)).body).toMatchObject({ total: -2 })
})

test.each(['id', 'modifiedAt'])('pages behind the last record, by %s, yield every record once, as it is by then', async (orderBy) => {
  const headers = { 'x-api-key': 'simulator', 'x-no-total': 'true' }
  const pagesOf = async () => {
    const seen: unknown[] = []
    for (let last: Body | undefined; ; ) {
      const at = last?.[orderBy]
      const tied = {
        type: 'and',
        value: [
          { type: 'equals', attribute: orderBy, value: at },
          { type: 'greaterThan', attribute: 'id', value: last?.id },
        ],
      }
      const behind = { type: 'or', value: [{ type: 'greaterThan', attribute: orderBy, value: at }, tied] }
      const searchParams = JSON.stringify({ orderBy, order: 'asc', maxSize: 2, where: last ? [behind] : [] })
      const { list, total } = (await crm.get(`Lead?${new URLSearchParams({ searchParams })}`, headers)).body
      seen.push(...list.map(({ lastName }) => lastName))
      if (total === -2) return seen
      last = list.at(-1)
    }
  }
  const inOrder = async () => (await names(`orderBy=${orderBy}&order=desc`)).reverse()
  expect(await pagesOf()).toEqual(await inOrder())
  const [first, second] = (await crm.get('Lead?orderBy=id')).body.list
  await crm.call('DELETE', `Lead/${second?.id}`)
  crm.simulator.advance(5000)
  await crm.put(`Lead/${first?.id}`, { title: 'changed' })
  expect(await pagesOf()).toEqual(await inOrder())
  expect(await pagesOf()).toHaveLength(3)
})

test('a list shows what was selected, what access depends on, and what it is sorted by', async () => {
  const { list } = (await crm.get('Lead?select=status,teamsIds,noSuch&orderBy=title&order=desc&maxSize=1')).body
  expect(Object.keys(list[0] ?? {}).toSorted()).toEqual(['assignedUserId', 'createdById', 'id', 'status', 'teamsIds', 'teamsNames', 'title'])
})
