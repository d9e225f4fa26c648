import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { RECORD_TYPES } from '../../src/contract/operations.ts'
import { SEALED_TYPES, sealedFields } from '../../src/core/access/sealed-records.ts'
import { createVault, keyIdOf, type Place, sealedWith } from '../../src/core/access/vault.ts'

const SECRET = 'whsec_ä☃𝄞'
const PLACE: Place = { workspace: 1, type: 'Webhook', id: 'one', field: 'Secret' }
const [first, second] = [randomBytes(32), randomBytes(32)]

describe('a vault', () => {
  test('opens what it has sealed, and never seals a text twice alike', () => {
    const vault = createVault([first])
    const [one, other] = [vault.seal(SECRET, PLACE), vault.seal(SECRET, PLACE)]
    expect(one).toMatch(/^sealed:1:[\da-f]{12}:[\w-]+$/)
    expect(one).not.toBe(other)
    expect([one, other].map((text) => vault.open(text, PLACE))).toEqual([SECRET, SECRET])
    expect(vault.open(vault.seal('', PLACE), PLACE)).toBe('')
  })

  test('returns a plain text of an earlier version as it is', () => {
    expect(createVault([first]).open(SECRET, PLACE)).toBe(SECRET)
    expect(sealedWith(SECRET)).toBeUndefined()
  })

  test('seals with its first key and opens with all of them', () => {
    const sealed = createVault([first]).seal(SECRET, PLACE)
    const both = createVault([second, first])
    expect(both.open(sealed, PLACE)).toBe(SECRET)
    expect(sealedWith(both.seal(SECRET, PLACE))).toBe(keyIdOf(second))
    expect([both.sealingKey(), both.keyIds()]).toEqual([keyIdOf(second), [keyIdOf(second), keyIdOf(first)]])
  })

  test.each<Partial<Place>>([{ workspace: 2 }, { type: 'Key' }, { id: 'other' }, { field: 'OldSecret' }])('does not open what was moved: %j', (other) => {
    const vault = createVault([first])
    const sealed = vault.seal(SECRET, PLACE)
    expect(() => vault.open(sealed, { ...PLACE, ...other })).toThrow(expect.objectContaining({ code: 'conflict' }))
  })

  test('opens no text of which one character was altered, nor a shortened one', () => {
    const vault = createVault([first])
    const sealed = vault.seal(SECRET, PLACE)
    const start = sealed.lastIndexOf(':') + 1
    for (let at = start; at < sealed.length - 1; at++) {
      const altered = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
      expect(() => vault.open(altered, PLACE), altered).toThrow(expect.objectContaining({ code: 'conflict' }))
    }
    for (const text of [sealed.slice(0, -2), sealed.slice(0, start + 4), sealed.slice(0, start), 'sealed:', 'sealed:2:x:y', `${sealed}!`])
      expect(() => vault.open(text, PLACE), text).toThrow(expect.objectContaining({ code: 'conflict' }))
  })

  test('names the key that it does not have, and what to do, but no part of the secret', () => {
    const sealed = createVault([first]).seal(SECRET, PLACE)
    const refusal = { code: 'platform_unavailable', message: expect.stringContaining(keyIdOf(first)), hint: expect.stringContaining('CRM_SECRET_KEYS') }
    for (const vault of [createVault([second]), createVault([])]) expect(() => vault.open(sealed, PLACE)).toThrow(expect.objectContaining(refusal))
  })

  test('without keys makes one when the first value is sealed, and only then', () => {
    const made: Buffer[] = []
    const make = () => made[made.push(randomBytes(32)) - 1] as Buffer
    const vault = createVault([], { make, find: () => [] })
    expect([vault.open(SECRET, PLACE), vault.keyIds(), made.length]).toEqual([SECRET, [], 0])
    const texts = [vault.seal(SECRET, PLACE), vault.seal(SECRET, PLACE)]
    expect(made).toHaveLength(1)
    expect(texts.map(sealedWith)).toEqual([vault.sealingKey(), vault.sealingKey()])
  })

  test('without keys, and with nothing that makes one, leaves values as they are and opens what others have sealed', () => {
    const vault = createVault([], { find: () => [first] })
    expect([vault.seal(SECRET, PLACE), vault.sealingKey()]).toEqual([SECRET, undefined])
    expect(vault.open(createVault([first]).seal(SECRET, PLACE), PLACE)).toBe(SECRET)
    expect([vault.seal(SECRET, PLACE), vault.sealing(), vault.keyIds()]).toEqual([SECRET, undefined, [keyIdOf(first)]])
  })

  test('looks for a key that was added later, and goes on sealing with its first', () => {
    const there: Buffer[] = []
    const vault = createVault([first], { make: () => first, find: () => there })
    const sealed = createVault([second]).seal(SECRET, PLACE)
    expect(() => vault.open(sealed, PLACE)).toThrow(keyIdOf(second))
    there.push(second)
    expect(vault.open(sealed, PLACE)).toBe(SECRET)
    expect(sealedWith(vault.seal(SECRET, PLACE))).toBe(keyIdOf(first))
  })
})

test('the fields that are sealed are texts that no answer shows', () => {
  expect(SEALED_TYPES.map(({ name }) => name)).toContain('Webhook')
  for (const type of RECORD_TYPES)
    for (const name of sealedFields(type)) expect([name, type.fields[name]]).toMatchObject([name, { kind: 'text', access: 'secret' }])
})
