import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FieldKind } from '../../../../src/contract/fields.ts'
import { codec, decimal } from '../../../../src/platforms/crms/hubspot/codec.ts'
import { decodedName, encodedName } from '../../../../src/platforms/crms/hubspot/custom-names.ts'
import { htmlOf, textOf } from '../../../../src/platforms/crms/hubspot/note-text.ts'

describe('names of custom objects and fields', () => {
  test.for([
    ['Boat', 'boat'],
    ['HullLength', 'hull_length'],
    ['boat', 'boat_'],
    ['hullLength', 'hull_length_'],
    ['Hull_Length', 'hull___length'],
    ['IMO2', 'i_m_o2'],
  ])('%s is %s there', ([ours, theirs]) => {
    expect(encodedName(ours as string)).toBe(theirs)
    expect(decodedName(theirs as string)).toBe(ours)
  })

  test('there is always a way back, and no two become one', () => {
    const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,40}$/).filter((one) => !/^(hs|hS|Hs|HS|hubspot_)/i.test(one))
    fc.assert(
      fc.property(name, (ours) => {
        const theirs = encodedName(ours)
        expect(theirs).toMatch(/^[a-z][a-z0-9_]*$/)
        expect(decodedName(theirs)).toBe(ours)
      }),
      { numRuns: 500 },
    )
  })

  test('what people have called line_2 in HubSpot has a name with us', () => {
    expect(decodedName('line_2')).toMatch(/^[A-Za-z][A-Za-z0-9_]*$/)
    expect(decodedName('my_custom_object')).toBe('MyCustomObject')
  })

  test('what HubSpot cannot be told is refused', () => {
    expect(() => encodedName('A'.repeat(80))).toThrow(expect.objectContaining({ code: 'unsupported' }))
    expect(() => encodedName('HsFoo')).toThrow(expect.objectContaining({ code: 'unsupported' }))
  })
})

describe('the text of a note', () => {
  test('any text comes back from HTML as it was', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[<>&;a-z/ \n\r#0-9!-]{0,30}$/)), (text) => {
        expect(textOf(htmlOf(text))).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  test('nothing of it is HTML for whoever looks at it in HubSpot', () => {
    expect(htmlOf('<b>1 & 2</b>\n<!-- x -->')).toBe('&lt;b&gt;1 &amp; 2&lt;/b&gt;<br>&lt;!-- x --&gt;')
  })

  test.for([
    ['<p>Asked for a <strong>quote</strong>.</p><p>By&nbsp;Friday &amp; no later.</p>', 'Asked for a quote.\nBy Friday & no later.'],
    ['<div>one<br/>two</div><ul><li>three</li></ul>', 'one\ntwo\nthree'],
    ['a < b and c > d', 'a < b and c > d'],
    ['<p>&constructor; &#x1F418; &#99999999;</p>', '&constructor; 🐘 &#99999999;'],
  ])('what people wrote there is read without its markup: %s', ([html, text]) => {
    expect(textOf(html as string).trim()).toBe(text)
  })
})

describe('values', () => {
  test('numbers have no exponent, and come back', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(decimal(number)).toMatch(/^-?\d+(\.\d+)?$/)
        expect(Number(decimal(number))).toBe(number === 0 ? 0 : number)
      }),
    )
  })

  test.for<[FieldKind, unknown, unknown]>([
    ['date', '2026-12-31T00:00:00Z', '2026-12-31'],
    ['date', '2026-12-31', '2026-12-31'],
    ['date', '1798675200000', '2026-12-31'],
    ['timestamp', '2026-02-25T16:26:25Z', '2026-02-25T16:26:25.000Z'],
    ['timestamp', '1798675200000', '2026-12-31T00:00:00.000Z'],
    ['money', '3000', 3000],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['text', '0', '0'],
    ['text', '', null],
  ])('a %s is read from %s', ([kind, raw, value]) => {
    expect(codec.read({ name: 'x', kind }, raw)).toBe(value)
  })
})
