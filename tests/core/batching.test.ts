import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { batching } from '../../src/helpers/batching.ts'

const TWO = { groups: 2, most: 2 }

test('concurrent calls share batches, and each gets its own result', async () => {
  const batches: (readonly number[])[] = []
  const double = batching<number, number>(TWO, async (numbers) => {
    batches.push(numbers)
    return numbers.map((number) => 2 * number)
  })
  expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10])
  expect(batches).toEqual([[1, 2], [3, 4], [5]])
})

test('a batch that fails fails for its own callers', async () => {
  const half = batching<number, number>(TWO, async (numbers) => {
    if (numbers.includes(1)) throw new Error('odd')
    return numbers.map((number) => number / 2)
  })
  expect(await Promise.allSettled([1, 2, 4, 6].map(half))).toMatchObject([
    { reason: { message: 'odd' } },
    { reason: { message: 'odd' } },
    { value: 2 },
    { value: 3 },
  ])
})

test('the next batch is sent before the callers of the last one go on', async () => {
  const order: string[] = []
  const one = batching<string, string>({ groups: 1, most: 1 }, async ([name = '']) => {
    order.push(`${name} sent`)
    return [name]
  })
  await Promise.all(['first', 'second'].map(async (name) => order.push(`${await one(name)} done`)))
  expect(order).toEqual(['first sent', 'second sent', 'first done', 'second done'])
})

test('a result that rejects while the next batch is sent is its caller’s to handle, and nobody else’s', async () => {
  const unhandled: unknown[] = []
  const listener = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', listener)
  onTestFinished(() => void process.off('unhandledRejection', listener))
  const running = new EventTarget()
  const call = batching<string, string>({ groups: 2, most: 1 }, async ([name = '']) => {
    if (name === 'slow') await once(running, 'end')
    return [name === 'bad' ? Promise.reject(new Error('bad')) : name]
  })
  const slow = call('slow')
  await expect(call('bad')).rejects.toThrow('bad')
  running.dispatchEvent(new Event('end'))
  expect(await slow).toBe('slow')
  expect(unhandled).toEqual([])
})
