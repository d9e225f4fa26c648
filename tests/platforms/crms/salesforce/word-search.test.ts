import fc from 'fast-check'
import { expect, test } from 'vitest'
import { termsFor } from '../../../../src/platforms/crms/salesforce/sosl.ts'
import { account, create } from './account.ts'

const { open, requests, send, simulator } = account()

const TYPES = ['Lead', 'Opportunity', 'Case', 'Company', 'Contact', 'Campaign', 'CustomObject']

async function filled() {
  const driver = await open()
  const ids = {
    ada: await create(driver, 'Lead', { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada.l@engines.example', Phone: '+44 (0)20 7946 0958', Status: 'Open' }),
    grace: await create(driver, 'Lead', { FirstName: 'Grace', LastName: 'Hopper', Company: 'Navy', Status: 'Open' }),
    company: await create(driver, 'Company', { CompanyName: 'Lovelace & Sons' }),
    contact: await create(driver, 'Contact', { LastName: 'Müller', MobilePhone: '020 7946 0958' }),
    deal: await create(driver, 'Opportunity', { OpportunityName: 'Engine for Ada', Stage: 'Prospecting', CloseDate: '2026-12-31' }),
    jam: await create(driver, 'Case', { Subject: 'Jam', Description: 'The lovely card sticks', Status: 'New' }),
  }
  const found = async (text: string, types = TYPES, limit = 10) =>
    ((await driver.search?.(text, types, limit)) ?? []).map(({ record }) => record.ObjectID ?? record[Object.keys(record)[0] as string]).sort()
  return { driver, ids, found }
}

test('words are found in names, addresses and texts, by their beginnings', async () => {
  const { ids, found } = await filled()
  expect(await found('lovelace')).toEqual([ids.ada, ids.company].sort())
  expect(await found('LOVE')).toEqual([ids.ada, ids.company, ids.jam].sort())
  expect(await found('ada love')).toEqual([ids.ada])
  expect(await found('ada')).toEqual([ids.ada, ids.deal].sort())
  expect(await found('ada.l@engines.example')).toEqual([ids.ada])
  expect(await found('engines.example')).toEqual([ids.ada])
  expect(await found('navy')).toEqual([ids.grace])
  expect(await found('muller')).toEqual([ids.contact])
  expect(await found('lovelace', ['Company'])).toEqual([ids.company])
  expect(await found('nothing')).toEqual([])
})

test('phone numbers are found in any spelling', async () => {
  const { ids, found } = await filled()
  for (const text of ['+44 20 7946 0958', '442079460958', '0044 20/79 46 09 58', '020 7946 0958'])
    expect(await found(text), text).toEqual([ids.ada, ids.contact].sort())
  expect(await found('7946 09')).toEqual([ids.ada, ids.contact].sort())
})

test('texts that mean something in a search are only looked for', async () => {
  const { ids, found } = await filled()
  for (const text of ['x', '', '***', 'and', 'or not', '} RETURNING User(Id', "a'b", '{', '\\', 'foo" OR "', '()', '- -'])
    expect(await found(text), text).toEqual([])
  expect(await found('{ada}')).toEqual([ids.ada, ids.deal].sort())
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom('a', 'd', ' ', '}', '{', '"', "'", '\\', '*', '(', ')', '&', '-', ':', '\n', 'é', '😀'), maxLength: 12 }),
      async (text) => {
        await found(text, ['Lead'])
      },
    ),
    { numRuns: 60 },
  )
  expect(termsFor("O'Brien AND x")).toBe('Brien* AND "AND"')
  expect(termsFor('jo-ann@x.io')).toBe('(jo\\-ann@x.io* OR (jo* AND ann* AND io*))')
})

test('each type has its newest matches, and converted leads are left out', async () => {
  const { driver, ids, found } = await filled()
  const more: string[] = []
  for (let at = 0; at < 3; at++) more.push(await create(driver, 'Lead', { FirstName: `Ada ${at}`, LastName: 'Byron', Status: 'Open' }))
  await send('POST', '/sobjects/Lead', { LastName: 'Ada', Company: 'Done', IsConverted: true })
  expect((await found('ada', ['Lead'], 2)).length).toBe(2)
  expect(await found('ada', ['Lead'])).toEqual([ids.ada, ...more].sort())
})

test('what cannot be seen does not keep the rest from being found', async () => {
  simulator().faults.add('field-security=Campaign.Id')
  const { ids, found } = await filled()
  expect(await found('navy')).toEqual([ids.grace])
})

test('it takes one request, and one for each type that is found', async () => {
  const { driver, found } = await filled()
  await driver.objects()
  requests.length = 0
  await found('lovelace')
  expect(requests).toHaveLength(3)
  requests.length = 0
  await found('nothing')
  expect(requests).toHaveLength(1)
})

test('records of custom objects are found too', async () => {
  const { driver, found } = await filled()
  await driver.define('Boat', [{ ObjectName: 'Boat', FieldName: 'Harbour', Type: 'String', Label: 'Harbour' }])
  const id = await create(driver, 'CustomObject', { ObjectName: 'Boat', Values: { Harbour: 'Kiel' } })
  expect(await found('kiel')).toEqual([id])
})
