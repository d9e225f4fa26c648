import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contentOf, textIn } from '../../../../src/platforms/crms/salesforce/note-text.ts'
import { titleOf } from '../../../../src/platforms/crms/salesforce/titles.ts'
import { account, all, create, one } from './account.ts'

const { open, send, simulator } = account()
const MODERN = { notes: 'ContentNote' }

test('a modern note keeps its text and what it hangs on', async () => {
  const driver = await open({}, MODERN)
  const lead = await create(driver, 'Lead', { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open' })
  const other = await create(driver, 'Lead', { FirstName: 'Grace', LastName: 'Hopper', Status: 'Open' })
  const texts = ['First <b>& "quoted"</b>\n\nO\'Brien @{note.id}', '東京 👩🏽‍💻', 'Third']
  const ids: string[] = []
  for (const Note of texts) {
    ids.push(await create(driver, 'Note', { RecordID: lead, Note }, 'Lead'))
    simulator().advance(1000)
  }
  await create(driver, 'Note', { RecordID: other, Note: 'Elsewhere' }, 'Lead')
  expect(await one(driver, 'Note', ids[0] as string)).toMatchObject({ NoteID: ids[0], RecordID: lead, Note: texts[0] })
  const where = [{ field: 'RecordID', family: 'text', operator: 'eq', value: lead }] as const
  expect(driver.narrows('Note', where[0])).toBe('exactly')
  for (const size of [1, 2, 3, 10]) {
    const { records } = await all(driver, 'Note', { where, order: { field: 'CreatedDate', descending: true }, size, on: 'Lead' })
    expect(records.map(({ Note }) => Note)).toEqual(texts.toReversed())
  }
  expect(await driver.count('Note', { where })).toBe(3)
  expect(await driver.count('Note', { where: [{ ...where[0], value: "x' OR Id != '" }] })).toBe(0)
  expect(driver.supports.authors).toEqual([])
})

test('a note whose record is gone leaves nothing behind', async () => {
  const driver = await open({}, MODERN)
  const [refused] = await driver.create('Note', [{ RecordID: '00Q5e0000000zzzEAA', Note: 'Lost' }], 'Lead')
  expect(refused).toMatchObject({ name: 'DriverError' })
  const { totalSize } = await send<{ totalSize: number }>('GET', `/query?q=${encodeURIComponent('SELECT COUNT() FROM ContentNote')}`)
  expect(totalSize).toBe(0)
})

test('texts come back as they were, whatever they look like', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('<', '>', '&', ';', '#', '"', "'", 'a', 'amp', 'br', '\n', '/', ' ', '3', '9', '👩', 'lt') }), (text) => {
      expect(textIn(Buffer.from(contentOf(text), 'base64').toString('utf8'))).toBe(text)
    }),
    { numRuns: 300 },
  )
  expect(textIn('<p>One<b> line</b></p><p>Two&nbsp;&amp;&#x1F600;&#0;</p>')).toBe('One line\nTwo &😀&#0;')
})

test('a title is a short first line that refers to nothing', () => {
  expect(titleOf('\n \nAsked for a quote.\nBy Friday.')).toBe('Asked for a quote.')
  expect(titleOf('')).toBe('Note')
  expect(titleOf('@{note.id} x')).not.toContain('@{')
  expect(titleOf('👩🏽‍💻'.repeat(30)).length).toBeLessThanOrEqual(80)
  expect(titleOf('👩🏽‍💻'.repeat(30)).isWellFormed()).toBe(true)
})
