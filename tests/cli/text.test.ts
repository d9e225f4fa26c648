import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvLine } from '../../src/files/exporting/csv-line.ts'
import { hasColours } from '../../src/transports/cli/paint.ts'
import { layOut, tableLines } from '../../src/transports/cli/table.ts'
import { cut, inOneLine, tamed, widthOf, wrapped } from '../../src/transports/cli/text.ts'

describe('the width of a text', () => {
  test.each([
    ['', 0],
    ['Ada', 3],
    ['Zoë', 3],
    ['Zoe\u0308', 3],
    ['山田', 4],
    ['ﾔﾏﾀﾞ', 4],
    ['Ｆｕｌｌ', 8],
    ['한국', 4],
    ['한', 2],
    ['👍', 2],
    ['👩‍👩‍👧‍👦', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['❤', 1],
    ['a\u200bb', 2],
    ['\u200eAda', 3],
    ['नमस्ते', 4],
    ['…–✓', 3],
  ])('of %j is %i columns', (text, columns) => {
    expect(widthOf(text)).toBe(columns)
  })

  test('is never more than asked for once it is cut, and no character is cut in two', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.integer({ min: 1, max: 30 }), (text, most) => {
        const short = cut(text, most)
        expect(widthOf(short)).toBeLessThanOrEqual(most)
        expect(short === text || short.endsWith('…')).toBe(true)
        expect(short.isWellFormed()).toBe(true)
      }),
    )
    expect([cut('Lovelace', 5), cut('山田太郎', 5), cut('山田太郎', 4), cut('👩‍👩‍👧‍👦👍', 3), cut('Ada', 0)]).toEqual([
      'Love…',
      '山田…',
      '山…',
      '👩‍👩‍👧‍👦…',
      '',
    ])
  })

  test('breaks between words, and within them only where it must', () => {
    expect(wrapped('The third card of the deck sticks.', 12)).toEqual(['The third', 'card of the', 'deck sticks.'])
    expect(wrapped('Donaudampfschiff', 6)).toEqual(['Donaud', 'ampfsc', 'hiff'])
    expect(wrapped('one\n\ntwo', 10)).toEqual(['one', '', 'two'])
    expect(wrapped('山田太郎', 5)).toEqual(['山田', '太郎'])
  })
})

describe('what could disturb a terminal', () => {
  test.each([
    ['\u001b[31mred\u001b[0m', '␛[31mred␛[0m'],
    ['\u001b]0;title\u0007', '␛]0;title␇'],
    ['a\rb', 'a␍b'],
    ['a\bb\u007f', 'a␈b␡'],
    ['\u009b31m', '\ufffd31m'],
    ['\u202egnp.exe', '\ufffdgnp.exe'],
    ['half \ud800 a character', 'half \ufffd a character'],
    ['two\r\nlines\u2028more', 'two\nlines\nmore'],
    ['a\tb', 'a  b'],
  ])('%j is shown as %j', (text, shown) => {
    expect(tamed(text)).toBe(shown)
    expect(inOneLine(text)).toBe(shown.replaceAll('\n', '↵'))
  })
})

describe('a table', () => {
  const plain = new Proxy({}, { get: () => (text: string) => text }) as never
  const columns = [{ name: 'LeadID', whole: true }, { name: 'Name' }, { name: 'Amount', right: true }, { name: 'OwnerID', spare: 1 }]
  const rows = [
    ['0k6v2m8q4d9x1c7b5n3t', 'Ada Lovelace', '12.5', 'me'],
    ['0k6v2m8q4d9x1c7b5n3v', '山田', '-3', ''],
  ]

  test('has columns as wide as what is in them, numbers under each other, and nothing at the ends of lines', () => {
    expect(tableLines(columns, rows, 80, plain)).toEqual([
      'LeadID                Name          Amount  OwnerID',
      '0k6v2m8q4d9x1c7b5n3t  Ada Lovelace    12.5  me',
      '0k6v2m8q4d9x1c7b5n3v  山田              -3',
    ])
  })

  test('leaves out first what can be spared, then cuts what may be cut, and never an id', () => {
    expect(layOut(columns, rows, 48).leftOut).toEqual(['OwnerID'])
    expect(tableLines(columns, rows, 40, plain)).toEqual([
      'LeadID                Name        Amount',
      '0k6v2m8q4d9x1c7b5n3t  Ada Lovel…    12.5',
      '0k6v2m8q4d9x1c7b5n3v  山田            -3',
    ])
    expect(layOut(columns, rows, 30).leftOut).toEqual(['Name', 'Amount', 'OwnerID'])
  })

  test('fits every terminal', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 4, maxLength: 4 }), { minLength: 1 }),
        fc.integer({ min: 5, max: 120 }),
        (rows, most) => {
          const texts = rows.map((row) => row.map(inOneLine))
          const cuttable = columns.map((column) => ({ ...column, whole: false }))
          for (const line of tableLines(cuttable, texts, most, plain)) expect(widthOf(line)).toBeLessThanOrEqual(most)
        },
      ),
    )
  })
})

test.each([
  [['a', 'b c', 1.5, true], 'a,b c,1.5,true'],
  [['say "hi"', 'a,b', 'two\nlines', ' blank'], '"say ""hi""","a,b","two\nlines"," blank"'],
  [[null, undefined, ''], ',,""'],
  [[['read', 'write'], { a: 1 }], '"[""read"",""write""]","{""a"":1}"'],
  [['=1+1', '+49 30', '-5', '@sum'], '=1+1,+49 30,-5,@sum'],
])('%j as a line of CSV is %s', (values, line) => {
  expect(csvLine(values)).toBe(`${line}\r\n`)
})

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ TERM: 'dumb' }, true, false],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
])('with %j on a terminal (%s) there are colours: %s', (env, isTTY, coloured) => {
  expect(hasColours({ isTTY } as never, env)).toBe(coloured)
})
