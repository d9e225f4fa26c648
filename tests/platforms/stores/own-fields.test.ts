import { expect, onTestFinished, test } from 'vitest'
import { recordType } from '../../../src/contract/operations.ts'
import { newRecord } from '../../../src/core/call/records.ts'
import type { ExtraField, StoredRecord } from '../../../src/platforms/platform.ts'
import { STORES } from '../../support/stores.ts'

const field = (indexed: boolean): ExtraField => ({ kind: 'text', label: 'x', readOnly: false, own: { indexed, unique: false } })

test.each(STORES)('a process that does not know of a field yet leaves its values alone: $platform', async ({ open }) => {
  const store = await open()
  onTestFinished(() => store.close())
  await store.addWorkspace('default')
  const ahead = store.withOwnFields({ extras: { Lead: { New: field(true), Plain: field(false), Old: field(true) } }, limits: {}, retired: {} })
  const behind = store.withOwnFields({ extras: { Lead: { Old: field(true) } }, limits: {}, retired: {} })
  const id = await ahead.write(1, async (writer) => {
    const record: StoredRecord = {
      ...newRecord(recordType('Lead'), writer.newId(), { FirstName: 'Ada', LastName: 'L', OwnerID: 'u' }),
      New: 'n',
      Plain: 'p',
      Old: 'o',
    }
    await writer.create('Lead', record)
    return record.LeadID as string
  })
  await behind.write(1, (writer) => writer.update('Lead', id, { Old: 'changed', Phone: '1' }))
  await store.write(1, (writer) => writer.update('Lead', id, { Phone: '2' }))
  expect(await ahead.reader(1).get('Lead', id)).toMatchObject({ New: 'n', Plain: 'p', Old: 'changed', Phone: '2' })
  const found = async (name: string, value: string) =>
    (
      await ahead.reader(1).find('Lead', {
        where: [{ field: name, family: 'text', operator: 'eq', value }],
        order: { field: name, descending: false },
        limit: 9,
      })
    ).records.length
  expect([await found('New', 'n'), await found('Old', 'changed'), await found('Old', 'o')]).toEqual([1, 1, 0])
  await behind.write(1, (writer) => writer.delete('Lead', id))
  expect([await found('New', 'n'), await found('Old', 'changed')]).toEqual([0, 0])
})
