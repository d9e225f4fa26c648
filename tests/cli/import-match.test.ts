import { expect, test } from 'vitest'
import { only, placeForFiles } from '../support/files.ts'

const ROWS = 'E-mail,First name,Last name,Title\nada@example.com,Ada,Lovelace,Countess\ngrace@example.com,Grace,Hopper,Admiral\n'

test('an import that matches updates what is there, in any spelling of the field, and creates the rest', async () => {
  const place = await placeForFiles()
  const path = place.file('contacts.csv', ROWS)
  await place.answer(['create_contact', '--LastName', 'King', '--Email', 'ada@example.com'])
  expect(await place.answer(['import', path, '--match', 'e-mail', '--dry-run'])).toMatchObject({ DryRun: true, Good: 2, Rejected: 0 })
  expect(await place.answer(['import', path, '--match', 'e-mail', '--yes'])).toMatchObject({ Created: 1, Updated: 1, AlreadyThere: 0, Rejected: 0 })
  expect(only(await place.records('get_many_contacts', 'Email'), 'Email', 'LastName', 'Title')).toEqual([
    { Email: 'ada@example.com', LastName: 'Lovelace', Title: 'Countess' },
    { Email: 'grace@example.com', LastName: 'Hopper', Title: 'Admiral' },
  ])
})

test.each([
  ['a field that is not there, with the nearest', ['--type', 'Contact', '--match', 'Emial'], 'Email'],
  ['a field that no column has', ['--type', 'Contact', '--match', 'ExternalID'], "--map 'COLUMN=ExternalID'"],
  ['a type that cannot be matched', ['--type', 'Campaign', '--map', 'Title=CampaignName', '--match', 'CampaignName'], 'Leave --match out.'],
])('an import does not match by %s', async (_, flags, hint) => {
  const place = await placeForFiles()
  const path = place.file('people.csv', ROWS)
  const { code, err } = await place.run(['import', path, ...flags, '--yes', '--ignore', '*'])
  expect(code).toBe(2)
  expect(err).toContain(hint)
})

test('a column with the label of two fields goes to neither, and both are named', async () => {
  const place = await placeForFiles()
  const path = place.file('contacts.csv', 'Last name,Region\nLovelace,North\n')
  for (const name of ['SalesRegion', 'TaxRegion'])
    await place.answer(['define_field', '--RecordType', 'Contact', '--FieldName', name, '--Kind', 'text', '--Label', 'Region'])
  const { code, err } = await place.run(['import', path, '--type', 'Contact', '--yes'])
  expect([code, err]).toEqual([2, expect.stringContaining('is the label of SalesRegion and TaxRegion')])
  expect(await place.answer(['import', path, '--type', 'Contact', '--map', 'Region=TaxRegion', '--yes'])).toMatchObject({ Created: 1 })
  expect(only(await place.records('get_many_contacts', 'LastName'), 'SalesRegion', 'TaxRegion')).toEqual([{ SalesRegion: null, TaxRegion: 'North' }])
})
