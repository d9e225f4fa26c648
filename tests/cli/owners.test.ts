import { join } from 'node:path'
import { expect, test } from 'vitest'
import { only, placeForFiles } from '../support/files.ts'

/** A store with users, of whom two have the same name. */
async function withUsers() {
  const place = await placeForFiles()
  const user = async (Name: string, Email: string) => (await place.answer(['create_user', '--Name', Name, '--Email', Email])).UserID as string
  const grace = await user('Grace Hopper', 'grace@example.com')
  const [first, second] = [await user('Ada Byron', 'ada@example.com'), await user('Ada Byron', 'byron@example.com')]
  return { place, grace, first, second }
}

test('owners are read by id, by e-mail address and by name in any case, and one that several users could be is rejected with all of them', async () => {
  const { place, grace, first, second } = await withUsers()
  const owners = [grace, 'GRACE@example.com', ' Grace Hopper ', 'byron@example.com', 'Ada Byron', 'No One', 'grace HOPPER', 'ada byron', 'Grace Hoper']
  const file = place.file('leads.csv', `FirstName,LastName,Owner name\n${owners.map((owner, i) => `L,${i},${owner}`).join('\n')}\n`)
  const { code, out, err } = await place.run(['import', file, '--yes'])
  expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 2, Created: 5, Rejected: 4 })
  expect(only(await place.records('get_many_leads'), 'LastName', 'OwnerID')).toEqual([
    { LastName: '0', OwnerID: grace },
    { LastName: '1', OwnerID: grace },
    { LastName: '2', OwnerID: grace },
    { LastName: '3', OwnerID: second },
    { LastName: '6', OwnerID: grace },
  ])
  expect(err).toContain('OwnerID is "Ada Byron", which several users are: ')
  expect(err).toContain(`ada@example.com (${first})`)
  expect(err).toContain(`byron@example.com (${second})`)
  expect(err).toContain('OwnerID is "ada byron", which several users are: ')
  expect(err).toContain('OwnerID is "Grace Hoper", and there is no such user here. Did you mean Grace Hopper?')
  expect(err).toContain('OwnerID is "No One", and there is no such user here. Leave the column out with --ignore OwnerID.')
})

test('rows that are matched take their owner by name too', async () => {
  const { place, grace, second } = await withUsers()
  await place.answer(['create_a_lead', '--FirstName', 'L', '--LastName', 'Old', '--Email', 'old@example.com'])
  const file = place.file('leads.csv', 'FirstName,LastName,Email,Owner\nL,Old,old@example.com,Grace Hopper\nL,New,new@example.com,byron@example.com\n')
  expect(await place.answer(['import', file, '--match', 'Email', '--yes'])).toMatchObject({ Created: 1, Updated: 1, Rejected: 0 })
  expect((await place.records('get_many_leads')).map(({ OwnerID }) => OwnerID)).toEqual([grace, second])
})

test.each(['name', 'both'])('an export with owners by %s comes back under the same owners', async (owners) => {
  const { place, grace } = await withUsers()
  const { LeadID } = await place.answer(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'])
  await place.answer(['update_lead', '--LeadID', LeadID as string, '--FieldsToUpdate.OwnerID', grace])
  for (const format of ['csv', 'xlsx']) {
    const file = join(place.folder, `leads-${owners}.${format}`)
    await place.answer([
      'export',
      'leads',
      '--owners',
      owners,
      '--bom',
      '--Select',
      'FirstName,LastName,OwnerID',
      '--Filters.LeadID',
      LeadID as string,
      '--to',
      file,
    ])
    if (format === 'csv')
      expect(place.read(`leads-${owners}.csv`)).toBe(
        `\uFEFFLeadID,FirstName,LastName,${owners === 'both' ? 'OwnerID,' : ''}OwnerName\r\n${LeadID},Ada,Lovelace,${owners === 'both' ? `${grace},` : ''}Grace Hopper\r\n`,
      )
    expect(await place.answer(['import', file, '--run', format, '--yes'])).toMatchObject({ Created: 1, Rejected: 0 })
  }
  expect((await place.records('get_many_leads')).map(({ OwnerID }) => OwnerID)).toEqual([grace, grace, grace])
})
