import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DriverError } from '../../../../src/platforms/crms/engine/errors.ts'
import { attributeOf, fieldNameOf, objectOf, scopeOf } from '../../../../src/platforms/crms/espocrm/names.ts'

const LETTERS = [...'abcyzuABCYZU019_']
const names = fc
  .tuple(fc.constantFrom(...LETTERS.filter((letter) => /[A-Za-z]/.test(letter))), fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 12 }))
  .map((parts) => parts.join(''))

test('names as they are usual look natural there', () => {
  expect(scopeOf('Boat')).toBe('CBoat')
  expect(attributeOf('HullLength')).toBe('hullLength')
  expect(attributeOf('Zone')).toBe('zone')
  expect([attributeOf('hull_length'), attributeOf('Name'), scopeOf('boat')]).toEqual(['zzhullZulength', 'zzName', 'CZzboat'])
})

test('every name has a way back, and no two names become one', () => {
  fc.assert(
    fc.property(names, names, (one, other) => {
      expect(objectOf(scopeOf(one))).toBe(one)
      expect(fieldNameOf(attributeOf(one))).toBe(one)
      if (one !== other) {
        expect(scopeOf(one)).not.toBe(scopeOf(other))
        expect(attributeOf(one)).not.toBe(attributeOf(other))
      }
    }),
    { numRuns: 3000 },
  )
})

test('names are made of what EspoCRM takes', () => {
  fc.assert(
    fc.property(names, (name) => {
      expect(scopeOf(name)).toMatch(/^C[A-Z][A-Za-z0-9]*$/)
      expect(attributeOf(name)).toMatch(/^[a-z][A-Za-z0-9]*$/)
    }),
  )
})

test('a name that every object has already, or that must not be, stands for itself all the same', () => {
  for (const name of ['Name', 'Description', 'CreatedAt', 'Id', 'ID', 'Deleted', 'AssignedUserId', 'System', 'VersionNumber']) {
    expect(attributeOf(name)).toBe(`zz${name}`)
    expect(fieldNameOf(attributeOf(name))).toBe(name)
  }
})

test('what people have made appears under its natural name', () => {
  expect([objectOf('CShip'), objectOf('Contract'), objectOf('CZebra'), fieldNameOf('colour'), fieldNameOf('zzTop')]).toEqual([
    'Ship',
    'Contract',
    'Zebra',
    'Colour',
    'ZzTop',
  ])
})

test('a name that is too long is refused before anything is sent', () => {
  expect(scopeOf('x'.repeat(59))).toHaveLength(62)
  expect(() => scopeOf('x'.repeat(70))).toThrow(DriverError)
  expect(attributeOf(`A${'b'.repeat(49)}`)).toHaveLength(50)
  expect(() => attributeOf(`A${'b'.repeat(50)}`)).toThrow(/too long/)
  // Each capital letter takes an underscore there.
  expect(() => attributeOf('AB'.repeat(20))).toThrow(/too long/)
})
