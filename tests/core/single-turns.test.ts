import { expect, test } from 'vitest'
import { SingleTurns } from '../../src/helpers/single-turns.ts'

test('those who wait go on one at a time, in turns between shares, and others run in between', async () => {
  const turns = new SingleTurns()
  let turn = 0
  const count = () => {
    turn++
    if (turn < 20) setImmediate(count)
  }
  setImmediate(count)
  const order: string[] = []
  const ran: number[] = []
  await Promise.all(
    ['many 1', 'many 2', 'many 3', 'other 1'].map(async (name) => {
      await turns.wait(name.split(' ')[0] as string)
      order.push(name)
      ran.push(turn)
    }),
  )
  expect(order).toEqual(['many 1', 'other 1', 'many 2', 'many 3'])
  expect(new Set(ran).size).toBe(4)
})

test('who waits again has its turn again', async () => {
  const turns = new SingleTurns()
  const again = async (name: string) => {
    const order: string[] = []
    for (let i = 0; i < 3; i++) {
      await turns.wait(name)
      order.push(name)
    }
    return order
  }
  expect(await Promise.all([again('one'), again('two')])).toEqual([Array(3).fill('one'), Array(3).fill('two')])
})
