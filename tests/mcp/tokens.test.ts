import fc from 'fast-check'
import { encode as o200k } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { tokensOf } from '../../src/transports/mcp/tokens.ts'

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i))
const LOWER = range(0x61, 0x7a)
const UPPER = range(0x41, 0x5a)
const DIGITS = range(0x30, 0x39)

const ALPHABETS: { readonly [name: string]: readonly string[] } = {
  'lower case': LOWER,
  'letters of both cases': [...LOWER, ...UPPER],
  'rare letters': [...'qzjxvkgw'],
  words: [...LOWER, ...LOWER, ' ', ' ', ...'.,'],
  base64: [...LOWER, ...UPPER, ...DIGITS, ...'+/='],
  'ids in base 36': [...LOWER, ...DIGITS],
  digits: [...DIGITS, ...'.,- '],
  whitespace: [...' \n\r\t\v\f\u00a0\u2028\u3000'],
  spaces: [' '],
  punctuation: [...range(0x21, 0x2f), ...range(0x3a, 0x40), ...range(0x5b, 0x60), ...range(0x7b, 0x7e)],
  JSON: [...'{}[]":,\\ '],
  ASCII: range(0x20, 0x7e),
  Latin: range(0xa0, 0x24f),
  German: [...LOWER, ...UPPER, ...'äöüß   '],
  Greek: range(0x370, 0x3ff),
  Russian: [...range(0x410, 0x44f), ' ', ' '],
  Hebrew: range(0x590, 0x5ff),
  Arabic: range(0x600, 0x6ff),
  Devanagari: range(0x900, 0x97f),
  Thai: range(0xe01, 0xe5b),
  Chinese: range(0x4e00, 0x9fff),
  Japanese: range(0x3041, 0x30ff),
  Korean: range(0xac00, 0xd7a3),
  emoji: range(0x1f300, 0x1faff),
  'rare Chinese': range(0x20000, 0x20fff),
  'private use': range(0xe000, 0xf8ff),
  symbols: range(0x2000, 0x2bff),
  tags: range(0xe0020, 0xe007f),
  'all of them': [...LOWER, ...UPPER, ...DIGITS, ...' "\n', ...range(0xc0, 0xd0), ...range(0x4e00, 0x4e20), ...range(0x1f600, 0x1f610), '\u202e', '\u200b'],
}

describe('the estimate is never below what o200k counts', () => {
  test.each(Object.entries(ALPHABETS))('of %s', (_, alphabet) => {
    const text = fc.array(fc.constantFrom(...alphabet), { maxLength: 200 }).map((characters) => characters.join(''))
    fc.assert(
      fc.property(text, (one) => {
        expect(tokensOf(one)).toBeGreaterThanOrEqual(o200k(one).length)
      }),
      { numRuns: 300 },
    )
  })
})

test('of records and of prose the estimate is near enough to be useful', () => {
  const record = {
    LeadID: '1m7ej4vpa01zzq1pvpf4',
    FirstName: 'Ada',
    LastName: 'Lovelace',
    Email: 'ada@example.com',
    Phone: '+44 20 7946 0958',
    Status: 'Open',
    OwnerID: '1m7ej4vjmc4cak2s41sr',
    CreatedDate: '2026-11-15T09:30:00.000Z',
    Revision: 1,
  }
  const prose = 'Ada called again about the engine; she would like an offer for three more columns, and asks whether the delivery to London is included. '
  expect(tokensOf(JSON.stringify(record)) / o200k(JSON.stringify(record)).length).toBeLessThan(1.5)
  expect(tokensOf(prose) / o200k(prose).length).toBeLessThan(3)
})
