import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Allowance } from '../../src/transports/http/limits/limiter.ts'
import { createSharedLimiter, type SharedLimiter, type TakeFromStore } from '../../src/transports/http/limits/shared-limiter.ts'

/** A store that answers when it is told to: what is asked of it arrives, and its answers come back, in any order and at any time. */
function pretendedStore(windowMs: number) {
  let window = { number: 0, used: 0, ends: 0 }
  let at = 0
  const asked: { readonly wanted: number; readonly arrive: () => void }[] = []
  const answered: (() => void)[] = []
  const ended: number[] = []

  const askedBy =
    (given: (window: number) => void): TakeFromStore =>
    (_, wanted, most) =>
      new Promise((resolve) => {
        const arrive = () => {
          const open = window.ends > at ? window : { number: window.number + 1, used: 0, ends: at + windowMs }
          const granted = wanted > 0 && open.used + wanted <= most
          if (granted) {
            window = open
            window.used += wanted
            ended[window.number] = window.ends
          }
          const answer = { granted, used: open.used, resetMs: open.ends - at }
          answered.push(() => {
            if (granted) given(open.number)
            resolve(answer)
          })
        }
        asked.push({ wanted, arrive })
      })

  return {
    askedBy,
    asked,
    now: () => at,
    pass(ms: number) {
      at += ms
    },
    endOf: (number: number) => ended[number] ?? Number.POSITIVE_INFINITY,
    arrive: (i: number) => asked.splice(i % Math.max(1, asked.length), 1)[0]?.arrive(),
    answer: (i: number) => answered.splice(i % Math.max(1, answered.length), 1)[0]?.(),
    /** Answers all there is to answer. */
    async settle() {
      for (await turn(); asked.length + answered.length > 0; await turn()) {
        for (const { arrive } of asked.splice(0)) arrive()
        for (const answer of answered.splice(0)) answer()
      }
    },
  }
}

const turn = () => new Promise(setImmediate)

/** One limiter over a store of its own, which answers at once but for the turns that takes. */
function alone({ limit, windowMs = 60_000, names = 10 }: { limit: number; windowMs?: number; names?: number }) {
  const store = pretendedStore(windowMs)
  const limiter = createSharedLimiter({ allow: store.askedBy(() => {}), limit, windowMs, names, now: store.now })
  const settled = async <T>(promise: T | Promise<T>): Promise<T> => {
    await store.settle()
    return promise
  }
  return { store, limiter, settled }
}

describe('a limiter shared by several processes', () => {
  test('hands out what it has taken in advance at once, and tells truly what remains', async () => {
    const { store, limiter, settled } = alone({ limit: 100 })
    expect(await settled(limiter.take('a'))).toEqual({ allowed: true, remaining: 99, reset: 60 })
    expect(limiter.takeCached('a')).toEqual({ allowed: true, remaining: 98, reset: 60 })
    const third = limiter.take('a')
    expect(third).toBeInstanceOf(Promise)
    await turn()
    expect(store.asked.map(({ wanted }) => wanted)).toEqual([1])
    expect(await settled(third)).toEqual({ allowed: true, remaining: 97, reset: 60 })
  })

  test('refuses without asking what is known to be used up, until the window has ended', async () => {
    const { store, limiter, settled } = alone({ limit: 2 })
    await settled(limiter.take('a', 2))
    store.pass(30_500)
    expect(limiter.takeCached('a')).toEqual({ allowed: false, remaining: 0, reset: 30 })
    expect(await limiter.peek('a')).toEqual({ allowed: false, remaining: 0, reset: 30 })
    store.pass(29_500)
    expect(await settled(limiter.take('a'))).toEqual({ allowed: true, remaining: 1, reset: 60 })
  })

  test('asks once for all who come while it is asking', async () => {
    const { store, limiter, settled } = alone({ limit: 10 })
    const first = Array.from({ length: 3 }, () => limiter.take('a'))
    await turn()
    const later = Array.from({ length: 9 }, () => limiter.take('a'))
    await turn()
    expect(store.asked.map(({ wanted }) => wanted)).toEqual([3])
    store.arrive(0)
    store.answer(0)
    await turn()
    expect(store.asked.map(({ wanted }) => wanted)).toEqual([7])
    const allowed = await settled(Promise.all([...first, ...later]))
    expect(allowed.map((each) => each.allowed)).toEqual([...Array(10).fill(true), false, false])
  })

  test('gives a batch all or nothing, and leaves what it did not get to others', async () => {
    const { store, limiter, settled } = alone({ limit: 10 })
    expect(await settled(limiter.take('a', 11))).toEqual({ allowed: false, remaining: 10, reset: 60 })
    expect(await settled(limiter.take('a', 7))).toMatchObject({ allowed: true, remaining: 3 })
    const together = [limiter.take('a', 4), limiter.take('a'), limiter.take('a', 2), limiter.take('a')]
    await turn()
    expect(store.asked.map(({ wanted }) => wanted)).toEqual([3])
    expect(await settled(Promise.all(together))).toMatchObject([{ allowed: false }, { allowed: true }, { allowed: true, remaining: 0 }, { allowed: false }])
  })

  test('takes nothing for a batch that cannot be allowed', async () => {
    const { store, limiter, settled } = alone({ limit: 20 })
    const both = [limiter.take('a'), limiter.take('a', 20), limiter.take('a', 2)]
    await turn()
    expect(store.asked.map(({ wanted }) => wanted)).toEqual([3])
    expect(await settled(Promise.all(both))).toMatchObject([{ allowed: true }, { allowed: false }, { allowed: true, remaining: 17 }])
  })

  test('lets nobody overtake a batch that waits', async () => {
    const { limiter, settled } = alone({ limit: 200 })
    await settled(limiter.take('a'))
    const ended: string[] = []
    const waiting = [limiter.take('a', 5), limiter.take('a')].map(async (each, i) => {
      await each
      ended.push(i === 0 ? 'batch' : 'single')
    })
    await settled(Promise.all(waiting))
    expect(ended).toEqual(['batch', 'single'])
  })

  test('hands out nothing of a window that may have ended, as long as the answer of the store may have been under way', async () => {
    const { store, limiter, settled } = alone({ limit: 200 })
    const first = limiter.take('a')
    await turn()
    store.arrive(0)
    store.pass(1_000)
    store.answer(0)
    expect(await first).toEqual({ allowed: true, remaining: 199, reset: 60 })
    store.pass(58_999)
    expect(limiter.takeCached('a')).toEqual({ allowed: true, remaining: 198, reset: 2 })
    store.pass(1)
    const next = limiter.take('a')
    expect(next).toBeInstanceOf(Promise)
    expect(await settled(next)).toEqual({ allowed: true, remaining: 199, reset: 60 })
  })

  test('does not add what is left of one window to the next', async () => {
    const { store, limiter, settled } = alone({ limit: 200 })
    await settled(limiter.take('a'))
    store.pass(59_999)
    const batch = limiter.take('a', 100)
    await turn()
    store.pass(1)
    expect(await settled(batch)).toEqual({ allowed: true, remaining: 100, reset: 60 })
  })

  test('looks without taking', async () => {
    const { store, limiter, settled } = alone({ limit: 2 })
    expect(await settled(limiter.peek('a'))).toEqual({ allowed: true, remaining: 2, reset: 60 })
    await settled(limiter.take('a', 2))
    expect(await limiter.peek('a')).toMatchObject({ allowed: false })
    expect(store.asked).toEqual([])
  })

  test('forgets the oldest name rather than growing, and then asks again', async () => {
    const { limiter, settled } = alone({ limit: 1, names: 2 })
    await settled(limiter.take('a'))
    expect(limiter.takeCached('a')).toBeDefined()
    for (const name of ['b', 'c']) await settled(limiter.take(name))
    expect(limiter.takeCached('c')).toBeDefined()
    expect((await settled(limiter.take('a'))).allowed).toBe(false)
  })

  test('lets all who wait know when the store cannot answer, and asks anew for the next', async () => {
    let broken = true
    const store = pretendedStore(60_000)
    const allow = store.askedBy(() => {})
    const limiter = createSharedLimiter({
      allow: (...question) => (broken ? Promise.reject(new Error('gone')) : allow(...question)),
      limit: 3,
      windowMs: 60_000,
      names: 10,
    })
    const waiting = await Promise.allSettled([limiter.take('a'), limiter.take('a', 2), limiter.peek('a')])
    expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    broken = false
    const again = limiter.take('a', 3)
    await store.settle()
    expect(await again).toMatchObject({ allowed: true, remaining: 0 })
  })
})

const LIMITERS = 3
const WINDOW_MS = 100

type Step =
  | { readonly kind: 'take'; readonly by: number; readonly count: number }
  | { readonly kind: 'look'; readonly by: number }
  | { readonly kind: 'arrive' | 'answer'; readonly which: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'turn' }

const by = fc.nat(LIMITERS - 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('take' as const), by, count: fc.constant(1) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('take' as const), by, count: fc.integer({ min: 1, max: 150 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('look' as const), by }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom('arrive' as const, 'answer' as const), which: fc.nat(10) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 70 }) }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'turn' as const }) },
)

test('no number of processes hands out more than the limit in any window, however calls and answers fall', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 100, max: 500 })),
      fc.array(step, { minLength: 1, maxLength: 300, size: 'max' }),
      async (limit, steps) => {
        const store = pretendedStore(WINDOW_MS)
        const handedOut = new Map<number, number>()
        const windowOf: number[] = Array(LIMITERS).fill(0)
        const limiters: SharedLimiter[] = windowOf.map((_, i) => {
          const allow = store.askedBy((number) => {
            windowOf[i] = number
          })
          return createSharedLimiter({ allow, limit, windowMs: WINDOW_MS, names: 10, now: store.now })
        })
        const waiting: Promise<unknown>[] = []
        const count = (by: number, taken: number, { allowed, remaining }: Allowance) => {
          expect(remaining).toBeGreaterThanOrEqual(0)
          if (!allowed) return
          const number = windowOf[by] as number
          handedOut.set(number, (handedOut.get(number) ?? 0) + taken)
          expect(handedOut.get(number)).toBeLessThanOrEqual(limit)
        }

        for (const one of steps) {
          if (one.kind === 'take') {
            const limiter = limiters[one.by] as SharedLimiter
            const answer = limiter.takeCached('a', one.count)
            if (!answer) waiting.push(limiter.take('a', one.count).then((found) => count(one.by, one.count, found)))
            else {
              // What is handed out without asking is of a window that is still open.
              if (answer.allowed) expect(store.now()).toBeLessThan(store.endOf(windowOf[one.by] as number))
              count(one.by, one.count, answer)
            }
          } else if (one.kind === 'look') waiting.push(Promise.resolve(limiters[one.by]?.peek('a')))
          else if (one.kind === 'arrive') store.arrive(one.which)
          else if (one.kind === 'answer') store.answer(one.which)
          else if (one.kind === 'pass') store.pass(one.ms)
          await (one.kind === 'turn' ? turn() : undefined)
        }
        await store.settle()
        await Promise.all(waiting)
      },
    ),
    { numRuns: 500 },
  )
})

test('all together hand out the whole limit, but for what is held elsewhere', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 8 }), async (limit, processes) => {
      const store = pretendedStore(WINDOW_MS)
      const limiters = Array.from({ length: processes }, () =>
        createSharedLimiter({ allow: store.askedBy(() => {}), limit, windowMs: WINDOW_MS, names: 10, now: store.now }),
      )
      let allowed = 0
      for (let call = 0; call < limit + processes; call++) {
        const limiter = limiters[call % processes] as SharedLimiter
        const answer = limiter.take('a')
        await store.settle()
        if ((await answer).allowed) allowed++
      }
      expect(allowed).toBeLessThanOrEqual(limit)
      expect(allowed).toBeGreaterThanOrEqual(processes === 1 || limit < 100 ? limit : limit - 2 * processes)
    }),
    { numRuns: 60 },
  )
})
