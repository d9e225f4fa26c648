import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvLine } from '../../src/files/exporting/csv-line.ts'
import { CsvReader, delimiterOf } from '../../src/files/reading/csv-reader.ts'
import { JsonLineReader, JsonListReader } from '../../src/files/reading/json-reader.ts'

interface Reader<T> {
  readonly fault?: Error | undefined
  read(text: string, isLast?: boolean): T[]
}

/** What a reader makes of a text that comes in pieces of so many characters. */
function readIn<T>(reader: Reader<T>, text: string, size = text.length || 1): T[] {
  const all: T[] = []
  for (let at = 0; at < text.length; at += size) all.push(...reader.read(text.slice(at, at + size)))
  return [...all, ...reader.read('', true)]
}

const HOSTILE: readonly (readonly [what: string, text: string, lines: readonly (readonly (string | undefined)[])[]])[] = [
  [
    'every end of line',
    'a,b\r\nc,d\ne,f\rg,h',
    [
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
      ['g', 'h'],
    ],
  ],
  ['lines inside of quotes', '"a\r\nb","c\nd"\n', [['a\r\nb', 'c\nd']]],
  ['doubled quotes', '"say ""hi""",""""\n', [['say "hi"', '"']]],
  ['the delimiter inside of quotes', '"a,b",c\n', [['a,b', 'c']]],
  ['a quote inside of a cell without quotes', '5" pipe,b\n', [['5" pipe', 'b']]],
  ['nothing, and a pair of quotes', ',"",\n', [[undefined, '', undefined]]],
  ['blank lines', '\n\na\n\r\n\nb\n', [['a'], ['b']]],
  [
    'rows of separators only',
    'a,b\n,,\n,\n,""\nc,d\n,',
    [
      ['a', 'b'],
      [undefined, ''],
      ['c', 'd'],
    ],
  ],
  ['no end of the last line', 'a,', [['a', undefined]]],
  ['blanks around', ' a , b ', [[' a ', ' b ']]],
  ['other alphabets', '名前,naïve,🎈\n', [['名前', 'naïve', '🎈']]],
  ['a quoted last cell at the very end', 'a,"b"', [['a', 'b']]],
]

test.each(HOSTILE)('CSV with %s is read, whatever pieces it comes in', (_, text, lines) => {
  for (let size = 1; size <= text.length; size++)
    expect(
      readIn(new CsvReader(','), text, size).map((line) => line.cells),
      `pieces of ${size}`,
    ).toEqual(lines)
})

test('CSV that was written is read back as it was, whatever pieces it comes in', () => {
  const cell = fc.oneof(fc.constant(null), fc.string({ unit: fc.constantFrom('"', ',', ';', '\t', '\r', '\n', ' ', 'a', 'é', '🎈', '=', "'") }), fc.string())
  const table = fc
    .integer({ min: 2, max: 5 })
    .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }))
  fc.assert(
    fc.property(table, fc.constantFrom(',', ';', '\t'), fc.integer({ min: 1, max: 40 }), (rows, delimiter, size) => {
      const text = rows.map((row) => csvLine(row, delimiter)).join('')
      const filled = rows.filter((row) => row.some((one) => one !== null))
      expect(readIn(new CsvReader(delimiter), text, size).map((line) => line.cells.map((one) => one ?? null))).toEqual(filled)
    }),
    { numRuns: 500 },
  )
})

test('lines are counted as an editor counts them, also where cells go on over several', () => {
  const lines = readIn(new CsvReader(','), 'name\r\n"one\r\ntwo\rthree\nfour"\n\nfive\n')
  expect(lines.map(({ line, cells: [first] }) => [line, first])).toEqual([
    [1, 'name'],
    [2, 'one\r\ntwo\rthree\nfour'],
    [7, 'five'],
  ])
})

test('what follows a closing quote spoils its line and no other', () => {
  for (let size = 1; size < 24; size++) {
    const lines = readIn(new CsvReader(','), 'a,"b"c,d\ne,f\n"g"h\r\ni,j', size)
    expect(lines.map(({ line, fault, cells: [first] }) => [line, first, fault !== undefined])).toEqual([
      [1, 'a,"b"c,d', true],
      [2, 'e', false],
      [3, '"g"h', true],
      [4, 'i', false],
    ])
  }
})

test('a quote that is never closed is told with its line after what is before it, and before the rest of the file is in memory', () => {
  for (const size of [1, 5, 100]) {
    const reader = new CsvReader(',')
    expect(readIn(reader, 'a,b\n"c\nd","e\nf,g\n', size).map((line) => line.cells)).toEqual([['a', 'b']])
    expect(reader.fault?.message).toBe('A quote that opens on line 3 is never closed.')
  }
  const reader = new CsvReader(',')
  expect(reader.read('a\n"')).toHaveLength(1)
  let read = 0
  for (; read < 100 && !reader.fault; read++) reader.read('x'.repeat(100_000))
  expect(reader.fault?.message).toBe('A quote that opens on line 2 is not closed for a million characters.')
  expect(read).toBeLessThan(12)
})

test.each([
  ['without any quote', 'x'.repeat(2_000_000)],
  ['of many cells', 'x,'.repeat(1_000_000)],
  ['with quotes around lines', '"a ""\nb",'.repeat(300_000)],
  ['with quotes that open nothing', `${'5" '.repeat(500_000)},"\n\n",${'"x" y '.repeat(200_000)}`],
])('a line %s that is too long is told by its line, without a copy, and spoils no other', (_, long) => {
  const ends = long.split('\n').length
  for (const size of [65_536, 3_000_000]) {
    const reader = new CsvReader(',')
    const lines = readIn(reader, `a,b\r\n${long}\r\nc,"d"\r\n${long}`, size)
    expect(lines.map(({ line, cells: held, fault }) => [line, held, fault?.slice(0, 43)])).toEqual([
      [1, ['a', 'b'], undefined],
      [2, [], 'It is longer than a million characters, whi'],
      [2 + ends, ['c', 'd'], undefined],
      [3 + ends, [], 'It is longer than a million characters, whi'],
    ])
    expect(reader.fault).toBeUndefined()
  }
})

test('a record that is too long for a line of JSON spoils no other', () => {
  const long = JSON.stringify({ a: 'x'.repeat(17_000_000) })
  for (const size of [1_000_000, 40_000_000])
    expect(readIn(new JsonLineReader(), `{"a":1}\n${long}\n{"a":2}\n${long}`, size).map(({ line, fault }) => [line, fault?.slice(0, 34)])).toEqual([
      [1, undefined],
      [2, 'It is longer than any record can b'],
      [3, undefined],
      [4, 'It is longer than any record can b'],
    ])
})

test.each([
  ['a,b;c,d\n', ','],
  ['a;b;c,d\n1,2,3,4,5,6\n', ';'],
  ['a\tb\n', '\t'],
  ['a|b|c', '|'],
  ['"a,b,c,d";e\n', ';'],
  ['only one\n', ','],
  ['', ','],
])('the first line of %j says that cells are separated by %j', (text, delimiter) => {
  expect(delimiterOf(text)).toBe(delimiter)
})

const RECORDS = [{ a: 1 }, { b: '},]{["\\"' }, { c: { d: [1, { e: null }] } }, {}, { '🎈': '\u2028' }]

test('JSON is read a record at a time, as lines and as one list, whatever pieces it comes in', () => {
  const texts: readonly (readonly [string, () => Reader<{ record: unknown; fault?: string }>])[] = [
    [RECORDS.map((record) => `${JSON.stringify(record)}\n`).join('\n'), () => new JsonLineReader()],
    [JSON.stringify(RECORDS), () => new JsonListReader()],
    [` \n${JSON.stringify(RECORDS, null, 2)}\n\n`, () => new JsonListReader()],
  ]
  for (const [text, reader] of texts)
    for (const size of [1, 2, 3, 7, 31, text.length])
      expect(
        readIn(reader(), text, size).map(({ record }) => record),
        `${size}`,
      ).toEqual(RECORDS)
  expect(readIn(new JsonListReader(), ' [ ] ')).toEqual([])
})

test('what is no record is told by its line, and spoils no other', () => {
  const lines = readIn(new JsonLineReader(), '{"a":1}\n[1]\n{"a":\n\n{"a":2}')
  expect(lines.map(({ line, fault }) => [line, fault?.slice(0, 16)])).toEqual([
    [1, undefined],
    [2, 'This is JSON, an'],
    [3, 'This is not JSON'],
    [5, undefined],
  ])
  const list = readIn(new JsonListReader(), '[\n{"a":1},\n"b",\n 17,\n{"a" 2},\n{"a":3}]')
  expect(list.map(({ line, fault }) => [line, fault?.slice(0, 16)])).toEqual([
    [2, undefined],
    [3, 'This is JSON, an'],
    [4, 'This is JSON, an'],
    [5, 'This is not JSON'],
    [6, undefined],
  ])
})

test.each([
  ['{"Records":[]}', 'This is not a list of records, on line 1.'],
  ['[{"a":1}\n', 'The list ends too early, on line 2.'],
  ['[]\n\n{}', 'Something follows the list, on line 3.'],
])('%j is no list, which is told', (text, message) => {
  const reader = new JsonListReader()
  readIn(reader, text)
  expect(reader.fault?.message).toBe(message)
})
