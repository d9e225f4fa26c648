import { expect, test } from 'vitest'
import { remarksWithin } from '../../src/transports/mcp/remarks.ts'

test('remarks that do not fit are counted, and the first is shortened', () => {
  const long = 'The record was changed since. '.repeat(40)
  expect(remarksWithin(400, [long]).fitting).toEqual([expect.stringMatching(/^The record was changed since\. .*…$/)])
  expect(remarksWithin(400, [long, long]).fitting).toEqual([expect.stringMatching(/^The record was changed since\. .*…$/), '1 more remark is left out.'])
  expect(remarksWithin(400, ['Short.', long]).fitting).toEqual(['Short.', '1 more remark is left out.'])
})

test('a stale overwrite is told at the smallest budget', () => {
  const stale = `LeadID 1m7kqwr7m6fxeb0tkpks was changed by "Grace Hopper" at 2026-11-17T03:13:01.881Z (Status, Rating) since you read it at Revision 1.`
  expect(remarksWithin(200, [stale, 'A near value. '.repeat(20)]).fitting).toEqual([
    expect.stringContaining('LeadID 1m7kqwr7m6fxeb0tkpks was changed by'),
    '1 more remark is left out.',
  ])
})

test('a shortened remark closes the value that it ends in, and cuts no escape in two', () => {
  const value = JSON.stringify(`${'\n" Left out: nothing. '.repeat(60)}`)
  const [remark = ''] = remarksWithin(300, [`Your write has replaced Title (${value}).`]).fitting
  expect(remark).toMatch(/^Your write has replaced Title \("(?:[^"\\]|\\["n])*…" …$/)
  for (let budget = 200; budget < 400; budget++) {
    const [one = ''] = remarksWithin(budget, [`Your write has replaced Title (${value}).`]).fitting
    expect(one.replace(/"(?:[^"\\]|\\.)*"/g, '')).not.toContain('"')
  }
})
