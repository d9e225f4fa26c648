import { describe, expect, test } from 'vitest'
import { faultText } from '../../console/src/data/error-text.ts'
import { boundedNumberIn, exampleIn, marksOf, numberIn } from '../../console/src/forms/typed-number.ts'

/** What is typed, and the number it is; a text is none. */
const TYPED: { readonly [language: string]: readonly (readonly [typed: string, is: unknown])[] } = {
  en: [
    ['1,500', 1500],
    ['61,643.00', 61643],
    ['-1,234,567.8', -1234567.8],
    ['1500.50', 1500.5],
    ['1.234', 1.234],
    ['1500.000', 1500],
    ['0', 0],
    ['  7 ', 7],
    ['', undefined],
    ...[
      '1,5',
      '1.234,50',
      '1,50',
      '15,00',
      '1,5000',
      '0,500',
      ',500',
      '1,500.',
      '1.5.0',
      '1 500',
      "1'500",
      '1e5',
      '0x10',
      '007',
      'ten',
      '12345678901234567890',
      '1500,50',
      '1.500',
    ].map((text) => [text, text] as const),
  ],
  de: [
    ['61.643,00', 61643],
    ['1.234.567', 1234567],
    ['1500,50', 1500.5],
    ['1500.50', 1500.5],
    ['1,5', 1.5],
    // Either of two numbers.
    ...['1.500', '1,500', '1,234.50', '1 500'].map((text) => [text, text] as const),
  ],
  fr: [['1 500', 1500], ['61\u202f643,00', 61643], ['1\u00a0500,5', 1500.5], ...['1,500', '1.500', '1.234,50'].map((text) => [text, text] as const)],
  'de-CH': [
    ["61'643.00", 61643],
    ['61’643.00', 61643],
    ['1,500', '1,500'],
  ],
}

describe.each(Object.keys(TYPED))('where the page is in %s', (language) => {
  test.each(TYPED[language] ?? [])('%j is %j', (typed, is) => {
    expect(numberIn(typed, marksOf(language))).toBe(is)
  })

  test('the example is a number, and what it is told apart from is none', () => {
    expect(numberIn(exampleIn(marksOf(language)), marksOf(language))).toBe(1500.5)
    expect(numberIn('1.500', marksOf(language))).toBe('1.500')
  })
})

test('what is no number is told with an example of one', () => {
  const fault = (message: string) => faultText({ field: 'FieldsToUpdate.Amount', code: 'type', message: `FieldsToUpdate.Amount ${message}` }, 'Amount')
  expect(fault('must be a number or null, not a text.')).toBe(`Amount must be a number. Type it like ${exampleIn()}: 1.500 can be read in two ways.`)
  expect(fault('must be a whole number, not a text.')).toBe('Amount must be a whole number. Type it like 1500: 1.500 can be read in two ways.')
  expect(fault('must be a text, not a number.')).toBe('Amount must be a text, not a number.')
})

test('a number that is too large for its field is told the largest', () => {
  expect(boundedNumberIn('12,345,678,901,234,567,890', marksOf('en'))).toBe(Number('12345678901234567890'))
  expect(boundedNumberIn('1,500', marksOf('en'))).toBe(1500)
  expect(boundedNumberIn('9'.repeat(400), marksOf('en'))).toBe('9'.repeat(400))
  const message = 'FieldsToUpdate.Amount must be at most 999999999999999.'
  const expected = 'a number of at most 999999999999999'
  const largest = (999_999_999_999_999).toLocaleString()
  expect(faultText({ field: 'FieldsToUpdate.Amount', code: 'value', message, expected }, 'Amount')).toBe(`Amount must be at most ${largest}.`)
})
