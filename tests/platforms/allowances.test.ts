import { describe, expect, onTestFinished, test } from 'vitest'
import { SHARED_STORES } from '../support/shared-stores.ts'

describe.each(Object.entries(SHARED_STORES))('an allowance in %s', (kind, place) => {
  async function opened(count = 2) {
    const shared = await place()
    const stores = await Promise.all(Array.from({ length: count }, shared.open))
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))))
    const [first, second = first] = stores as [(typeof stores)[0], (typeof stores)[0]?]
    return { ...shared, stores, first, second }
  }

  test('is taken whole or not at all, by whomever, until it begins anew', async () => {
    const { first, second } = await opened()
    const resetMs = expect.toSatisfy((ms: number) => ms > 0 && ms <= 1_000)
    expect(await first.takeFromRateLimit('a', 3, 5, 1_000)).toEqual({ granted: true, used: 3, resetMs })
    expect(await second.takeFromRateLimit('a', 3, 5, 1_000)).toEqual({ granted: false, used: 3, resetMs })
    expect(await second.takeFromRateLimit('a', 2, 5, 1_000)).toEqual({ granted: true, used: 5, resetMs })
    expect(await first.takeFromRateLimit('a', 1, 5, 1_000)).toEqual({ granted: false, used: 5, resetMs })
    expect(await first.takeFromRateLimit('b', 1, 5, 1_000)).toEqual({ granted: true, used: 1, resetMs })
    expect(await first.takeFromRateLimit('c', 6, 5, 1_000)).toEqual({ granted: false, used: 0, resetMs })
    await new Promise((resolve) => setTimeout(resolve, 1_050))
    expect(await second.takeFromRateLimit('a', 4, 5, 1_000)).toEqual({ granted: true, used: 4, resetMs })
  })

  test('is not touched, and no window begins, by who only looks', async () => {
    const { first, second, ask } = await opened()
    expect(await first.takeFromRateLimit('a', 0, 5, 60_000)).toEqual({ granted: false, used: 0, resetMs: 60_000 })
    expect(await ask('SELECT * FROM "Allowance"')).toEqual([])
    await first.takeFromRateLimit('a', 2, 5, 60_000)
    expect(await second.takeFromRateLimit('a', 0, 5, 60_000)).toMatchObject({ granted: false, used: 2 })
  })

  test('is never exceeded by many who take at once', async () => {
    const { stores } = await opened(4)
    const answers = await Promise.all(Array.from({ length: 120 }, (_, i) => stores[i % 4]?.takeFromRateLimit(`name ${i % 2}`, 1, 37, 60_000)))
    const granted = (name: number) => answers.flatMap((answer, i) => (i % 2 === name && answer?.granted ? [answer.used] : []))
    const all = Array.from({ length: 37 }, (_, i) => i + 1)
    for (const name of [0, 1]) expect(granted(name).sort((a, b) => a - b)).toEqual(all)
  })

  test('begins anew when the clock has been set back', async () => {
    const { first, ask } = await opened(1)
    await first.takeFromRateLimit('a', 5, 5, 60_000)
    await ask(`UPDATE "Allowance" SET "Ends" = "Ends" + ${kind === 'sqlite' ? 3_600_000 : "INTERVAL '1 hour'"}`)
    expect(await first.takeFromRateLimit('a', 0, 5, 60_000)).toMatchObject({ used: 0 })
    expect(await first.takeFromRateLimit('a', 1, 5, 60_000)).toMatchObject({ granted: true, used: 1 })
    expect(await first.takeFromRateLimit('a', 5, 5, 60_000)).toMatchObject({ granted: false, used: 1 })
  })

  test('is swept away once it has ended, in any number', async () => {
    const { first, ask } = await opened(1)
    await first.takeFromRateLimit('open', 1, 5, 60_000)
    const ended = kind === 'sqlite' ? Date.now() - 1 : "now() - INTERVAL '1 millisecond'"
    const numbers =
      kind === 'sqlite' ? 'WITH RECURSIVE g(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < 1200) SELECT' : 'SELECT * FROM generate_series(1, 1200)'
    const some = kind === 'sqlite' ? `${numbers} 'a' || n, 5, ${ended} FROM g` : `SELECT 'a' || n, 5, ${ended} FROM (${numbers}) AS g(n)`
    await ask(`INSERT INTO "Allowance" ${some}`)
    expect(await first.sweep({ keys: '', changes: undefined })).toBe(1_200)
    expect(await ask('SELECT "Name" FROM "Allowance"')).toEqual([{ Name: 'open' }])
  })
})
