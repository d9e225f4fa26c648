import { describe, expect, test } from 'vitest'
import { recordType } from '../../src/contract/operations.ts'
import { hasWords, scoreOf, searchedFields, searchedWords, searchTextIn, searchTextOf, wordsOf } from '../../src/contract/search-text.ts'

describe('the words of a text', () => {
  test.each([
    ['Ada Lovelace', ['ada', 'lovelace']],
    ['ÉCOLE Żółć', ['ecole', 'zolc']],
    ['Straße Ærø', ['strasse', 'aero']],
    ['ada.lovelace@example.com', ['ada', 'lovelace', 'example', 'com']],
    ['ﬁne ½', ['fine', '1', '2']],
    ["O'Neill-Smith", ['o', 'neill', 'smith']],
    ['हिन्दी', ['हिन्दी']],
    ['…', []],
  ])('%s are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })
})

test('a search covers texts, e-mail addresses and phone numbers, and neither ids nor choices', () => {
  const names = searchedFields(recordType('Lead')).map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['FirstName', 'LastName', 'Email', 'Phone', 'MobilePhone', 'Company', 'Description', 'ExternalID']))
  for (const name of ['LeadID', 'OwnerID', 'Status', 'Rating', 'CreatedDate']) expect(names).not.toContain(name)
})

describe('a phone number', () => {
  const text = (Phone: string) => searchTextOf('Lead', { Phone })
  test.each([
    ['+44 (0)20 7946 0958', '+442079460958'],
    ['+44 (0)20 7946 0958', '020 7946 0958'],
    ['+44 (0)20 7946 0958', '+44 20 7946'],
    ['+44 20 7946 0958', '0044 (0)20/7946-0958'],
    ['+442079460958', '(020) 7946 0958'],
    ['020 7946 0958', '79460958'],
    ['555.0100', '5550100'],
    ['0171 5550123', '+491715550123'],
    ['030 765 43 21', '0049 30 7654321'],
    ['(212) 555-0100', '+1 212 555 0100'],
  ])('%s is found by %s', (phone, searched) => {
    expect(hasWords(text(phone), searchedWords(searched))).toBe(true)
  })
  test.each([
    ['+44 20 7946 0958', '7946 0959'],
    ['+44 20 7946 0958', '+49 20 7946 0958'],
  ])('%s is not found by %s', (phone, searched) => {
    expect(hasWords(text(phone), searchedWords(searched))).toBe(false)
  })
})

test('a record has each word once, and long texts by their beginning', () => {
  expect(searchTextOf('Company', { CompanyName: 'Acme acme ACMÉ', Website: 'acme.example' })).toBe(' acme example ')
  expect(searchTextOf('Case', { Subject: 'S', Description: `${'word '.repeat(400)}beyond` })).toBe(' s word ')
  expect(searchTextOf('CustomObject', { ObjectName: 'Boat', Values: { Harbour: 'Kiel', Length: 7, Sold: null } })).toBe(' boat kiel ')
  expect(searchTextOf('Lead', {})).toBe('')
})

test.each([
  ['all of a value', 'lovelace', 32],
  ['a word of one', 'analytical', 16],
  ['the beginning of a word', 'love', 8],
  ['a part of a word', 'lace', 4],
  ['a word of a long text', 'wrote', 4],
  ['the beginning of a word of a long text', 'prog', 2],
  ['a part of a word of a long text', 'gram', 1],
  ['two words', 'lovelace prog', 34],
  ['a word of an e-mail address', 'engines', 12],
  ['a word that is in a long text and all of another value', 'ada', 32],
  ['none', 'grace', 0],
])('%s counts by where it stands', (_, text, score) => {
  const lead = searchTextIn('Lead', {
    FirstName: 'Ada',
    LastName: 'Lovelace',
    Company: 'Analytical Works',
    Email: 'ada@engines.example',
    Description: 'Ada wrote programs',
  })
  expect(scoreOf(searchedWords(text)[0] ?? [], lead)).toBe(score)
})
