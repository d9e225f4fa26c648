import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { espocrm } from '../../../../src/platforms/crms/espocrm/espocrm.ts'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'
import { type Account, ALL, apiUser, openAccount, openingOf } from './account.ts'

const TYPES = ['Lead', 'Opportunity', 'Case', 'Company', 'Contact', 'Campaign', 'CustomObject']

describe('searches for words in EspoCRM', () => {
  let account: Account
  beforeAll(async () => {
    account = await openAccount()
    const { driver } = account
    const create = async (type: string, ...records: StoredRecord[]) => {
      for (const made of await driver.create(type, records)) if (made instanceof Error) throw made
    }
    await create(
      'Lead',
      { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@engines.example', Phone: '+442079460958', Company: 'Analytical Engines' },
      { FirstName: 'Grace', LastName: 'Hopper', Description: 'Asked for an engine with seven gears.' },
      { FirstName: 'Łukasz', LastName: 'Müller', City: 'Zürich' },
    )
    await create('Company', { CompanyName: 'Analytical Engines', Website: 'https://engines.example' })
    await create('Contact', { FirstName: 'Charles', LastName: 'Babbage' })
    await create('Opportunity', { OpportunityName: 'Engine no. 2', Stage: 'Prospecting', CloseDate: '2026-12-31' })
    await create('Case', { Subject: 'Card jammed', Description: 'The engine stopped.' })
    await create('Campaign', { CampaignName: 'Spring fair' })
    await driver.define('Boat', [{ ObjectName: 'Boat', FieldName: 'Name', Type: 'String', Label: 'Name' }])
    await create('CustomObject', { ObjectName: 'Boat', Values: { Name: 'Engine boat' } })
  })
  afterAll(() => account.close())

  const search = async (text: string, types: readonly string[] = TYPES, limit = 10) => (await account.driver.search?.(text, types, limit)) ?? []
  const found = async (text: string, types?: readonly string[]) =>
    (await search(text, types))
      .map(
        ({ type, record }) =>
          `${type} ${record.LastName ?? record.CompanyName ?? record.OpportunityName ?? record.Subject ?? record.CampaignName ?? record.ObjectName}`,
      )
      .sort()

  test('records of several types are found by a part of a word, in any case', async () => {
    expect(await found('ENGIN')).toEqual([
      'Case Card jammed',
      'Company Analytical Engines',
      'CustomObject Boat',
      'Lead Hopper',
      'Lead Lovelace',
      'Opportunity Engine no. 2',
    ])
    expect(await found('engin', ['Company', 'Contact'])).toEqual(['Company Analytical Engines'])
  })

  test('every word must be there, in whichever text', async () => {
    expect(await found('lovelace ada')).toEqual(['Lead Lovelace'])
    expect(await found('ada@engines.example')).toEqual(['Lead Lovelace'])
    expect(await found('grace seven gears hopper asked engine')).toEqual(['Lead Hopper'])
    expect(await found('grace babbage')).toEqual([])
    expect(await found('müller zürich')).toEqual(['Lead Müller'])
  })

  test('a phone number is found in any spelling', async () => {
    for (const text of ['+442079460958', '+44 (0)20 7946 0958', '020 7946 0958', '7946 0958']) expect(await found(text)).toEqual(['Lead Lovelace'])
  })

  test('one or two letters begin a word', async () => {
    expect(await found('ad')).toEqual(['Lead Lovelace'])
    expect(await found('no 2', ['Opportunity'])).toEqual(['Opportunity Engine no. 2'])
  })

  test('a text of many words, or of none, is answered', async () => {
    expect(await found(`lovelace ${Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ')}`)).toEqual([])
    expect(await found('%_\\ "\'')).toEqual([])
    expect(await found('x'.repeat(5000))).toEqual([])
  })

  test('the newest come first, and no more than asked for', async () => {
    expect((await search('engine', ['Lead'], 1)).map(({ record }) => record.LastName)).toEqual(['Hopper'])
  })

  test('what the role does not show is not found', async () => {
    const { apiKey } = await apiUser(account.simulator, { Lead: ALL })
    const limited = await espocrm.open(openingOf(account.simulator, { secrets: { apiKey } }))
    expect((await limited.search?.('engine', TYPES, 10))?.map(({ type }) => type)).toEqual(['Lead', 'Lead'])
    await limited.close()
  })
})
