import { expect, test } from 'vitest'
import { FairQueue } from '../../src/helpers/fair-queue.ts'

function filled(...shares: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>()
  for (const [i, share] of shares.entries()) queue.push(share, `${share} ${i}`)
  return queue
}

function* taken<T>(queue: FairQueue<T>): Generator<T | undefined> {
  while (queue.length > 0) yield queue.shift()
}

test('workspaces take turns, and in each of them keys', () => {
  const queue = filled('1/a', '1/a', '1/b', '1/b', '2/c', '2/c', 'alone', 'alone')
  expect([...taken(queue)]).toEqual(['1/a 0', '2/c 4', 'alone 6', '1/b 2', '2/c 5', 'alone 7', '1/a 1', '1/b 3'])
})

test('the next of each share come in turn, and of a workspace that had its turn after those of the others', () => {
  const queue = filled('1/a', '1/a', '1/b', '2/c')
  const seen: string[] = []
  for (const [share, item] of queue.nexts()) {
    seen.push(item)
    if (share !== '1/a') queue.shift(share)
  }
  expect(seen).toEqual(['1/a 0', '1/b 2', '2/c 3', '1/a 0'])
  expect([queue.length, queue.of('1/a'), queue.of('1/b')]).toEqual([2, 2, 0])
})

test('what is taken out never comes', () => {
  const queue = filled('1/a', '1/a', '2/b')
  queue.remove('1/a', '1/a 0')
  queue.remove('2/b', '2/b 2')
  queue.remove('2/b', '2/b 2')
  expect([...taken(queue)]).toEqual(['1/a 1'])
})
