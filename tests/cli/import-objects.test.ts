import { writeXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import { only, placeForFiles } from '../support/files.ts'

test('a file defines a custom object: its columns are fields of the types that they look like', async () => {
  const place = await placeForFiles()
  const file = place.file(
    'boats.csv',
    'Hull length,Harbour,Built,Refitted at,Racing,Plate,constructor\n7.5,Kiel,1998-04-30,2020-01-02T03:04:05Z,true,0012,x\n12,,2001-01-01,,false,0013,\n,=cmd,,,,,\n',
  )
  const shown = await place.run(['import', file, '--object', 'Boat'])
  expect(shown.err).toMatch(/Hull length +HullLength +Number, a new field\nHarbour +Harbour +String, a new field\nBuilt +Built +Date, a new field/)
  expect(shown.err).toMatch(/Refitted at +RefittedAt +DateTime, a new field\nRacing +Racing +Boolean, a new field\nPlate +Plate +String, a new field/)
  expect(await place.answer(['import', file, '--object', 'Boat', '--yes'])).toMatchObject({ RecordType: 'CustomObject', Created: 3, Rejected: 0 })
  expect((await place.records('get_many_custom_objects')).map(({ ObjectName, Values }) => [ObjectName, Values])).toEqual([
    ['Boat', { HullLength: 7.5, Harbour: 'Kiel', Built: '1998-04-30', RefittedAt: '2020-01-02T03:04:05.000Z', Racing: true, Plate: '0012', constructor: 'x' }],
    ['Boat', { HullLength: 12, Harbour: null, Built: '2001-01-01', RefittedAt: null, Racing: false, Plate: '0013', constructor: null }],
    ['Boat', { HullLength: null, Harbour: '=cmd', Built: null, RefittedAt: null, Racing: null, Plate: null, constructor: null }],
  ])
  // By now the definitions come from the workspace, and the rows are known all the same.
  expect(await place.answer(['import', file, '--object', 'Boat', '--yes'])).toMatchObject({ Created: 0, AlreadyThere: 3 })
})

test('fields that are defined already keep their types, whatever a file looks like, and columns go by their labels', async () => {
  const place = await placeForFiles()
  const Fields = { Length: { Type: 'Number', Label: 'Hull length' }, Plate: { Type: 'String', Label: 'Plate' } }
  await place.answer(['create_custom_object', '--json', JSON.stringify({ ObjectName: 'Boat', Fields })])
  const file = place.file('boats.csv', 'ObjectName,Hull Length,plate\nBoat,7.50,17\nBoat,long,18\n')
  const { out, err } = await place.run(['import', file, '--type', 'CustomObject', '--yes'])
  expect(JSON.parse(out)).toMatchObject({ Created: 1, Rejected: 1 })
  expect(err).toContain('Length is "long". Expected: a number such as 1234.5.')
  expect((await place.records('get_many_custom_objects')).at(-1)).toMatchObject({ Values: { Length: 7.5, Plate: '17' } })
})

test('--define says what a look cannot', async () => {
  const place = await placeForFiles()
  const file = place.file('boats.csv', 'Year,Name\n1998,Ann\n')
  await place.answer(['import', file, '--object', 'Boat', '--define', 'year=string', '--yes'])
  expect(await place.records('get_many_custom_objects')).toMatchObject([{ Values: { Year: '1998' }, Fields: { Year: { Type: 'String', Label: 'Year' } } }])
  const wrong = await place.run(['import', file, '--object', 'Boat', '--define', 'Year=Sting', '--yes'])
  expect(wrong).toMatchObject({ code: 2 })
  expect(wrong.err).toContain('Did you mean String?')
})

test('rows without an object are refused until one is named', async () => {
  const place = await placeForFiles()
  const { code, err } = await place.run(['import', place.file('boats.csv', 'Harbour\nKiel\n'), '--type', 'CustomObject', '--yes'])
  expect(code).toBe(2)
  expect(err).toContain('--object NAME')
})

test('a sheet of a workbook is imported, with its dates, its numbers as texts where texts are wanted, and by its name', async () => {
  const place = await placeForFiles()
  const book = await writeXlsx({
    sheets: [
      {
        name: 'Deals',
        rows: [
          ['Opportunity name', 'Stage', 'Close date', 'Amount'],
          [4711, 'Prospecting', new Date(Date.UTC(2026, 11, 31)), 1234.5],
          [],
          ['Engine', 'Prospecting', 'soon', null],
          ['Loom', 'Negotiation', new Date(Date.UTC(2027, 0, 1)), '99'],
        ],
      },
      {
        name: 'People',
        rows: [
          ['FirstName', 'LastName', 'Phone'],
          ['Ada', 'Lovelace', 442079460958],
          ['Zoë', 'O’Neil <&>', '007'],
        ],
      },
    ],
  })
  const file = place.file('book.xlsx', book)
  const deals = await place.run(['import', file, '--yes'])
  expect({ code: deals.code, ...JSON.parse(deals.out) }).toMatchObject({ code: 2, RecordType: 'Opportunity', Rows: 3, Created: 2, Rejected: 1 })
  expect(place.read('book.rejects.csv')).toContain('Engine,Prospecting,soon,,4,')
  expect(only(await place.records('get_many_opportunities'), 'OpportunityName', 'CloseDate', 'Amount')).toEqual([
    { OpportunityName: '4711', CloseDate: '2026-12-31', Amount: 1234.5 },
    { OpportunityName: 'Loom', CloseDate: '2027-01-01', Amount: 99 },
  ])
  expect(await place.answer(['import', file, '--sheet', 'People', '--yes'])).toMatchObject({ RecordType: 'Lead', Created: 2 })
  expect(only(await place.records('get_many_leads'), 'LastName', 'Phone')).toEqual([
    { LastName: 'Lovelace', Phone: '442079460958' },
    { LastName: 'O’Neil <&>', Phone: '007' },
  ])
  const none = await place.run(['import', file, '--sheet', 'Places', '--yes'])
  expect(none.code).toBe(2)
  expect(none.err).toContain('Places')
})
