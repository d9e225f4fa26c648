import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { nearest } from '../../src/contract/names.ts'
import { createALead } from '../../src/contract/records/lead.ts'
import { faultsOf } from '../../src/core/call/schemas.ts'

/** The distance as it is defined: of optimal string alignment, without any shortcut. */
function plainDistance(a: string, b: string): number {
  const cells: number[][] = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : i)))
  const at = (i: number, j: number) => cells[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY
      ;(cells[i] as number[])[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1), swapped)
    }
  return at(a.length, b.length)
}

test('a name is near when few edits make it another', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 20 })
  fc.assert(
    fc.property(name, name, (typed, known) => {
      const longest = Math.max(typed.length, known.length)
      const limit = Math.max(0, Math.min(6, longest - 1, Math.max(1, Math.floor(longest * 0.4))))
      expect(nearest(typed, [known])).toEqual(plainDistance(typed, known) <= limit ? [known] : [])
      expect(nearest(typed, [known], 1, true)).toEqual([known])
    }),
    { numRuns: 500 },
  )
  expect(nearest('Fristname', ['LastName', 'FirstName'])).toEqual(['FirstName'])
})

test('a name of which nothing agrees is not near', () => {
  expect(nearest('z', ['a', 'b', ''])).toEqual([])
  expect(nearest('', ['a'])).toEqual([])
  expect(nearest('zz', ['ab', 'a', 'q'])).toEqual([])
  expect(nearest('A', ['b', 'a'])).toEqual(['a'])
  expect(nearest('z', ['za'])).toEqual(['za'])
  expect(nearest('ab', ['ba', 'xy'])).toEqual(['ba'])
})

test('a long name is like none, and only the first of many names are compared', () => {
  const long = 'x'.repeat(81)
  expect(nearest(long, [long])).toEqual([])
  expect(nearest(long.slice(1), [long])).toEqual([long])
  const many = Array.from({ length: 500 }, (_, i) => `Other${i}`)
  expect(nearest('Firstname', [...many, 'FirstName'])).toEqual([])
  expect(nearest('Firstname', [...many.slice(1), 'FirstName'])).toEqual(['FirstName'])
})

test('of many unknown names, the first are answered with the nearest', () => {
  const input = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`Phone${i}`, 1]))
  const faults = faultsOf(createALead.input, { FirstName: 'Ada', LastName: 'Lovelace', ...input })
  expect(faults).toHaveLength(30)
  expect(faults.filter(({ didYouMean }) => didYouMean === 'Phone')).toHaveLength(LIMITS.suggestions)
})
