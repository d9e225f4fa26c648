import assert from 'node:assert/strict'
import { behaviour, theme } from './behaviour.ts'
import { ADA, JAM } from './records.ts'

export const errors = theme('errors', [
  behaviour('every fault of an input is listed at once, each with its field, code and message', async ({ crm, refused }) => {
    const error = await refused(crm.call('create_opportunity', { OpportunityName: 5, CloseDate: '2026-02-30', Amount: 'much', Stagee: 'x' }), 'invalid_input')
    const faults = Object.fromEntries((error.errors ?? []).map((fault) => [fault.field, fault]))
    assert.deepEqual(Object.keys(faults).sort(), ['Amount', 'CloseDate', 'OpportunityName', 'Stage', 'Stagee'])
    assert.deepEqual([faults.OpportunityName?.code, faults.Amount?.code, faults.Stage?.code, faults.Stagee?.code], ['type', 'type', 'missing', 'unknown'])
    assert.equal(faults.Stagee?.didYouMean, 'Stage')
    for (const { field, message } of error.errors ?? []) assert.ok(message.includes(field.split('.').at(-1) ?? field), `${message} names ${field}`)
    assert.match(faults.Amount?.expected ?? '', /number/)
    assert.match(faults.CloseDate?.expected ?? '', /YYYY-MM-DD/)
  }),

  behaviour('an input must be an object', async ({ crm, refused }) => {
    for (const input of [[], 'Ada', 5, true, null, [ADA]]) await refused(crm.call('create_a_lead', input), 'invalid_input')
  }),

  behaviour('a wrong type is refused in every place, never coerced', async ({ crm, refused }) => {
    await refused(crm.call('create_a_lead', { ...ADA, Phone: 5 }), 'invalid_input', { field: 'Phone', code: 'type' })
    await refused(crm.call('create_a_lead', { ...ADA, FirstName: true }), 'invalid_input', { field: 'FirstName', code: 'type' })
    await refused(crm.call('create_a_lead', { ...ADA, FirstName: { toString: 'Ada' } }), 'invalid_input', { field: 'FirstName', code: 'type' })
    await refused(crm.call('create_case', { ...JAM, Subject: ['x'] }), 'invalid_input', { field: 'Subject', code: 'type' })
  }),

  behaviour('a nested fault is named by its path', async ({ crm, refused, unique }) => {
    await refused(crm.call('update_lead', { LeadID: 'x', FieldsToUpdate: { Email: 5 } }), 'invalid_input', { field: 'FieldsToUpdate.Email' })
    await refused(crm.call('create_custom_object', { ObjectName: unique('Boat'), Fields: { Masts: { Type: 5, Label: 'x' } } }), 'invalid_input', {
      field: 'Fields.Masts.Type',
    })
    await refused(crm.call('get_many_leads', { Filters: { CreatedDate: { gte: 5 } } }), 'invalid_input', { field: 'Filters.CreatedDate' })
  }),

  behaviour('an invalid input is refused as such before the record is looked for', async ({ crm, refused }) => {
    await refused(crm.call('update_lead', { LeadID: 'nothing', FieldsToUpdate: { Nonsense: 1 } }), 'invalid_input')
    await refused(crm.call('delete_lead', { LeadID: 'nothing', Force: true }), 'invalid_input', { field: 'Force', code: 'unknown' })
  }),

  behaviour('a refusal shows neither a stack nor a secret', async ({ as, refused }) => {
    const { crm, key } = await as()
    for (const call of [
      () => crm.call('create_a_lead', {}),
      () => crm.call('nonsense', {}),
      () => crm.leads.get({ LeadID: 'nothing' }),
      () => crm.keys.create({}),
    ]) {
      const error = await call().then(
        () => assert.fail('was answered'),
        (reason: Error & { errors?: unknown; hint?: unknown }) => reason,
      )
      const text = JSON.stringify([error.message, error.errors, error.hint])
      assert.ok(!text.includes(key) && !/\.ts|\.js|node_modules|SQLITE|SELECT /.test(text), text)
    }
    await refused(crm.keys.create({}), 'forbidden')
  }),

  behaviour('a very long or strange name is shown back shortened and tamed', async ({ crm, refused }) => {
    const error = await refused(crm.call('create_a_lead', { ...ADA, [`\u001b[31m${'x'.repeat(5000)}`]: 1 }), 'invalid_input')
    assert.ok(error.message.length < 2000)
    assert.ok(!error.message.includes('\u001b'))
    assert.ok(error.errors?.every(({ message }) => !message.includes('\u001b')))
  }),
])
