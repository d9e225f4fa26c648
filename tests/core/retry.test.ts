import { expect, test } from 'vitest'
import { retryFor, retryingUntil } from '../../src/core/call/retry.ts'

test('an attempt is not made again once the work has been ended', async () => {
  const ending = new AbortController()
  let attempts = 0
  const retry = retryFor(60_000, { firstMs: 60_000, longestMs: 60_000 })
  const failing = () =>
    retry(
      async () => {
        attempts++
        throw new Error('It is down.')
      },
      () => ({ retryable: true, afterMs: 50_000 }),
    )
  const work = retryingUntil(ending.signal, failing)
  ending.abort()
  await expect(work).rejects.toThrow('It is down.')
  await expect(retryingUntil(ending.signal, failing)).rejects.toThrow('It is down.')
  expect(attempts).toBe(2)
})
