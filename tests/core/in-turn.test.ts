import { expect, test } from 'vitest'
import { createInTurn } from '../../src/helpers/in-turn.ts'

test('one share does not take the places of another, and waits for its own', async () => {
  const inTurn = createInTurn(2, 1)
  const started: string[] = []
  const ends: { [name: string]: () => void } = {}
  const run = (share: string, name: string) =>
    inTurn(share, () => {
      started.push(name)
      return new Promise<void>((resolve) => {
        ends[name] = resolve
      })
    })
  const [a1, , , b1] = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1')]
  expect(started).toEqual(['a1', 'b1'])
  expect(inTurn.of('a')).toBe(3)
  ends.b1?.()
  await b1
  expect(started).toEqual(['a1', 'b1'])
  ends.a1?.()
  await a1
  await expect.poll(() => started).toEqual(['a1', 'b1', 'a2'])
})
