import { describe, expect, onTestFinished, test } from 'vitest'
import { recordType } from '../../../src/contract/operations.ts'
import { newRecord } from '../../../src/core/call/records.ts'
import { showingAttached } from '../../../src/core/watch/attached/reader.ts'
import { attachedRow, rowsOf } from '../../../src/core/watch/attached/rows.ts'
import type { StoredRecord } from '../../../src/platforms/platform.ts'
import { FAST } from '../../support/lane.ts'
import { SHARED_STORES } from '../../support/shared-stores.ts'

const NOTE = recordType('Note')
const AT = '2026-11-17T00:00:00.000Z'

const parent = (type: string, id: string, given: object) =>
  newRecord(recordType(type) as Parameters<typeof newRecord>[0], { id, at: AT }, { OwnerID: 'grace', ...given }) as StoredRecord

/** Notes by their ids: the records that each belongs to. All were made in one moment. */
const NOTES = { 5: ['Lead 5'], 50: ['Lead 5', 'Company 5'], 6: ['Company 5'], 7: [] }

describe.each(Object.entries(SHARED_STORES).filter(([name]) => !FAST || name === 'sqlite'))('what is attached to records of a mirror in %s', (_, opened) => {
  async function filled() {
    const { open } = await opened()
    const store = await open()
    onTestFinished(() => store.close())
    const { number } = (await store.addWorkspace('default')) as { number: number }
    await store.write(number, async (writer) => {
      const mirror = writer.inMirror()
      await mirror.create('Lead', parent('Lead', '5', { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open' }))
      await mirror.create('Company', parent('Company', '5', { CompanyName: 'Navy' }))
      for (const [NoteID, parents] of Object.entries(NOTES)) {
        const note = { NoteID, Note: `note ${NoteID}`, AuthorID: 'grace', CreatedDate: AT }
        await mirror.create('Note', attachedRow(NOTE, note))
        for (const [on = '', RecordID = ''] of parents.map((one) => one.split(' '))) await mirror.create('Note', attachedRow(NOTE, { ...note, RecordID }, on))
      }
    })
    return { stored: store.mirror(number), mirror: showingAttached(store.mirror(number)) }
  }

  test('is found by its parent, although records of other types have the same id', async () => {
    const { mirror } = await filled()
    const order = { field: 'CreatedDate', descending: false }
    const where = [{ field: 'RecordID', family: 'text', operator: 'eq', value: '5' } as const]
    const pages = async (on: string) => {
      const ids: unknown[] = []
      let after: { value: string; id: string } | undefined
      for (;;) {
        const { records, more } = await mirror.find('Note', { where, order, limit: 1, on, ...(after && { after }) })
        for (const { NoteID, RecordID, Note } of records) ids.push([NoteID, RecordID, Note])
        if (!more) return ids
        after = { value: AT, id: records[0]?.NoteID as string }
      }
    }
    expect(await pages('Lead')).toEqual([
      ['5', '5', 'note 5'],
      ['50', '5', 'note 50'],
    ])
    expect(await pages('Company')).toEqual([
      ['50', '5', 'note 50'],
      ['6', '5', 'note 6'],
    ])
    expect(await pages('Contact')).toEqual([])
    expect(await mirror.getWithTotals('Lead', '5')).toMatchObject({ record: { LastName: 'Lovelace' }, totals: { Notes: 2, Campaigns: 0 } })
    expect(await mirror.getWithTotals('Company', '5')).toMatchObject({ totals: { Notes: 2 } })
    expect(await mirror.getWithTotals('Lead', '6')).toBeUndefined()
  })

  test('has a row for each parent, and one of its own', async () => {
    const { stored } = await filled()
    const keys = async (id: string) => [...(await rowsOf(stored, NOTE, id)).keys()]
    expect(await keys('5')).toEqual(['5', '5 Lead 5'])
    expect(await keys('50')).toEqual(['50', '50 Company 5', '50 Lead 5'])
    expect(await keys('7')).toEqual(['7'])
    expect(await keys('8')).toEqual([])
  })
})
