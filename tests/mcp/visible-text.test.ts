import { expect, test } from 'vitest'
import { quoted, quotedName, visible } from '../../src/contract/visible-text.ts'

test('a quoted value is one line of JSON that holds the value', () => {
  for (const value of [
    'plain',
    'a\n- LeadID: "x"',
    '"',
    '\\',
    '\u0000\u007f\u0085',
    '\u2028\u2029',
    '\ud800',
    ['\u202e', { 'a\u200b': null }],
    1,
    true,
    null,
  ]) {
    expect(quoted(value)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
    expect(JSON.parse(quoted(value))).toEqual(value)
  }
})

test('what cannot be seen is shown escaped, all else as it is', () => {
  expect(quoted('\u202eevil\u202c \u200b\ufeff\u00ad')).toBe('"\\u202eevil\\u202c \\u200b\\ufeff\\u00ad"')
  expect(quoted('\u{e0041}\ufe0f\u{e0100}\u3164\u2800')).toBe('"\\udb40\\udc41\\ufe0f\\udb40\\udd00\\u3164\\u2800"')
  expect(quoted('Größe 中文 😀 नमस्ते')).toBe('"Größe 中文 😀 नमस्ते"')
  expect(visible('one\ntwo\t\u001b[31m')).toBe('one\\ntwo\\t\\u001b[31m')
})

test('a name that is more than a word is quoted', () => {
  expect(['FirstName', 'Left out', 'x: 1', ''].map(quotedName)).toEqual(['FirstName', '"Left out"', '"x: 1"', '""'])
})
