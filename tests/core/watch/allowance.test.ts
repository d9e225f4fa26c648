import { expect, test } from 'vitest'
import { Allowance, type Left } from '../../../src/core/watch/allowance.ts'

const { signal } = new AbortController()

/** An hour of it is 10 requests. */
const PER_DAY = 240

const starting = (left?: Left) => new Allowance(PER_DAY, async (account) => (account === 'known' ? left : undefined))

test('a restart goes on with the requests that were left', async () => {
  const first = starting()
  expect(first.left).toBeUndefined()
  for (let sent = 0; sent < 7; sent++) await first.take(signal, 'known')
  const second = starting(first.left)
  await second.take(signal, 'known')
  expect(second.left?.left).toBeGreaterThanOrEqual(2)
  expect(second.left?.left).toBeLessThan(3)
})

test('what was saved up meanwhile is added, up to the requests of an hour, and another account has its own', async () => {
  const allowance = starting({ left: 0, at: Date.now() - 86_400_000 })
  await allowance.take(signal, 'known')
  expect(Math.round(allowance.left?.left ?? 0)).toBe(9)
  await allowance.take(signal, 'other')
  expect(Math.round(allowance.left?.left ?? 0)).toBe(9)
})

test('fewer a day take none that were saved up, and more grant none at once', async () => {
  const allowance = starting()
  await allowance.take(signal, 'known')
  allowance.limitTo(PER_DAY / 2)
  expect(Math.round(allowance.left?.left ?? 0)).toBe(9)
  allowance.limitTo(PER_DAY)
  expect(Math.round(allowance.left?.left ?? 0)).toBe(9)
})

test('requests that were not waited for are counted, and have the next ones wait longer', async () => {
  const allowance = starting()
  await allowance.take(signal, 'known')
  for (let sent = 0; sent < 4; sent++) allowance.noteSent()
  expect([allowance.spent, Math.round(allowance.left?.left ?? 0)]).toEqual([4, 6])
  await allowance.take(signal, 'known')
  allowance.noteSent()
  expect([allowance.spent, Math.round(allowance.left?.left ?? 0)]).toEqual([5, 5])
})

test('what is left is read anew after another process may have sent requests', async () => {
  let left = 5
  const allowance = new Allowance(PER_DAY, async () => ({ left, at: Date.now() }))
  await allowance.take(signal, 'known')
  left = 2
  allowance.forget()
  expect(allowance.left).toBeUndefined()
  await allowance.take(signal, 'known')
  expect(Math.round(allowance.left?.left ?? 0)).toBe(1)
})
