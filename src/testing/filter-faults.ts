import assert from 'node:assert/strict'
import { behaviour, theme } from './behaviour.ts'

export const filterFaults = theme('filters that are refused', [
  behaviour('an unknown field is refused with the nearest name', async ({ crm, refused }) => {
    await refused(crm.call('get_many_leads', { Filters: { Stauts: 'Open' } }), 'invalid_input', {
      field: 'Filters.Stauts',
      code: 'unknown',
      didYouMean: 'Status',
    })
    await refused(crm.call('get_many_opportunities', { Filters: { amount: 5 } }), 'invalid_input', {
      field: 'Filters.amount',
      code: 'unknown',
      didYouMean: 'Amount',
    })
    await refused(crm.call('get_many_cases', { Filters: { CloseDate: '2026-01-01' } }), 'invalid_input', { field: 'Filters.CloseDate', code: 'unknown' })
    for (const field of ['constructor', 'toString', 'hasOwnProperty', 'Notes', '', 'Lead.Status', '1=1']) {
      await refused(crm.call('get_many_leads', { Filters: { [field]: 'x' } }), 'invalid_input', { code: 'unknown' })
    }
    await refused(crm.call('get_many_leads', { Filters: JSON.parse('{"__proto__":"x"}') }), 'invalid_input')
  }),

  behaviour('a value of the wrong type is refused, whatever it looks like', async ({ crm, refused }) => {
    const wrong: readonly (readonly [operation: string, field: string, values: readonly unknown[]])[] = [
      ['get_many_opportunities', 'Amount', ['5', true, [5]]],
      ['get_many_opportunities', 'CloseDate', [20260101, true, []]],
      ['get_many_leads', 'FirstName', [5, true, ['Ada']]],
      ['get_many_leads', 'CreatedDate', [1_700_000_000_000, false]],
      ['get_many_leads', 'Revision', ['1', true]],
      ['get_many_users', 'Active', ['true', 1, 0]],
    ]
    for (const [operation, field, values] of wrong) {
      for (const value of values) {
        const { errors } = await refused(crm.call(operation, { Filters: { [field]: value } }), 'invalid_input', { field: `Filters.${field}` })
        assert.ok(
          errors?.some(({ expected }) => expected),
          `${operation} ${field} says what was expected`,
        )
        if (!Array.isArray(value)) await refused(crm.call(operation, { Filters: { [field]: { ne: value } } }), 'invalid_input', { field: `Filters.${field}` })
      }
    }
  }),

  behaviour('a date must be one of the calendar, a time must have a zone', async ({ crm, refused }) => {
    for (const CloseDate of ['2026-02-30', '2026-1-1', 'today', '2026-01-01T00:00:00Z', '']) {
      await refused(crm.opportunities.getMany({ Filters: { CloseDate: { gte: CloseDate } } }), 'invalid_input', { field: 'Filters.CloseDate' })
    }
    for (const CreatedDate of [
      '2026-01-01T00:00:00',
      '2026-01-01T00:00:00.000',
      '2026-01-01',
      '2026-02-30T00:00:00Z',
      '2026-01-01T25:00:00Z',
      'yesterday',
      '1700000000',
      '',
    ]) {
      const { errors } = await refused(crm.leads.getMany({ Filters: { CreatedDate: { gte: CreatedDate } } }), 'invalid_input', { field: 'Filters.CreatedDate' })
      assert.match(errors?.find(({ expected }) => expected)?.expected ?? '', /zone/)
    }
  }),

  behaviour('an operator that does not fit the type is refused with those that do', async ({ crm, refused }) => {
    const misfits: readonly (readonly [operation: string, field: string, operator: string, value: unknown])[] = [
      ['get_many_leads', 'FirstName', 'gt', 'A'],
      ['get_many_leads', 'Status', 'lte', 'A'],
      ['get_many_leads', 'LeadID', 'gte', 'A'],
      ['get_many_leads', 'CreatedDate', 'contains', '2026'],
      ['get_many_opportunities', 'Amount', 'startsWith', 1],
      ['get_many_opportunities', 'CloseDate', 'contains', '2026'],
      ['get_many_users', 'Active', 'in', [true]],
      ['get_many_users', 'Active', 'gt', false],
    ]
    for (const [operation, field, operator, value] of misfits) {
      await refused(crm.call(operation, { Filters: { [field]: { [operator]: value } } }), 'invalid_input', { field: `Filters.${field}`, code: 'operator' })
    }
  }),

  behaviour('an unknown operator is refused with the nearest one', async ({ crm, refused }) => {
    await refused(crm.call('get_many_opportunities', { Filters: { Amount: { gtee: 5 } } }), 'invalid_input', {
      field: 'Filters.Amount',
      code: 'operator',
      didYouMean: 'gte',
    })
    await refused(crm.call('get_many_leads', { Filters: { FirstName: { startswith: 'A' } } }), 'invalid_input', {
      field: 'Filters.FirstName',
      code: 'operator',
      didYouMean: 'startsWith',
    })
    for (const operator of ['$gt', 'like', 'constructor', 'toString'])
      await refused(crm.call('get_many_leads', { Filters: { FirstName: { [operator]: 'A' } } }), 'invalid_input', {
        field: 'Filters.FirstName',
        code: 'operator',
      })
  }),

  behaviour('an empty operator object is refused', async ({ crm, refused }) => {
    await refused(crm.call('get_many_leads', { Filters: { FirstName: {} } }), 'invalid_input', { field: 'Filters.FirstName' })
    await refused(crm.call('get_summary_opportunity', { Filters: { Amount: {} } }), 'invalid_input', { field: 'Filters.Amount' })
  }),

  behaviour('operators take one value, in takes a list, and neither null nor text where neither fits', async ({ crm, refused }) => {
    for (const condition of [
      { in: 'Ada' },
      { in: { eq: 'Ada' } },
      { in: [5] },
      { in: [['Ada']] },
      { eq: ['Ada'] },
      { contains: null },
      { startsWith: 5 },
      { eq: { eq: 'Ada' } },
    ]) {
      await refused(crm.call('get_many_leads', { Filters: { FirstName: condition } }), 'invalid_input', { field: 'Filters.FirstName' })
    }
    for (const condition of [{ gt: null }, { lte: null }, { in: ['5'] }, { gte: '5' }])
      await refused(crm.call('get_many_opportunities', { Filters: { Amount: condition } }), 'invalid_input', { field: 'Filters.Amount' })
    await refused(crm.call('get_many_leads', { Filters: { FirstName: { in: Array.from({ length: 1001 }, String) } } }), 'invalid_input', {
      field: 'Filters.FirstName',
    })
  }),

  behaviour('filters are an object', async ({ crm, refused }) => {
    for (const Filters of [[], 'Status = Open', 5, true])
      await refused(crm.call('get_many_leads', { Filters }), 'invalid_input', { field: 'Filters', code: 'type' })
  }),

  behaviour('every fault of the filters is listed at once, and summaries refuse the same', async ({ crm, refused }) => {
    const Filters = { Stauts: 'Open', FirstName: 5, CreatedDate: { gte: '2026-01-01T00:00:00' }, Email: { gt: 'a' } }
    for (const operation of ['get_many_leads', 'get_summary_of_leads']) {
      const { errors } = await refused(crm.call(operation, { Filters }), 'invalid_input')
      const fields = errors?.map(({ field }) => field.split('.').slice(0, 2).join('.')).sort()
      assert.deepEqual([...new Set(fields)], ['Filters.CreatedDate', 'Filters.Email', 'Filters.FirstName', 'Filters.Stauts'])
    }
  }),
])
