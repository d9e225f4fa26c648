import { expect, test } from 'vitest'
import { createBar } from '../../src/transports/cli/progress.ts'

/** A terminal of so many columns, and a clock that is set by hand. */
function terminal(columns: number, isTerminal = true) {
  const written: string[] = []
  let seconds = 0
  const bar = createBar({ write: (text) => written.push(text), columns }, () => seconds * 1000, isTerminal)
  return {
    written,
    bar,
    at(when: number) {
      seconds = when
      return bar
    },
  }
}

const CLEARED = '\r\u001b[K'

test('a bar shows the table, how much of it is done, the rate and the time left', () => {
  const { at, written } = terminal(120)
  at(0).show({ stage: 'copied', table: 'Lead', done: 0, rows: 100_000, part: 0 })
  at(10).show({ stage: 'copied', table: 'Lead', done: 50_000, rows: 100_000, part: 0.25 })
  at(20).show({ stage: 'verified', table: 'Lead', done: 100_000, rows: 100_000, part: 1 })
  expect(written).toEqual([
    `${CLEARED}░░░░░░░░░░░░░░░░░░░░░░░░   0%  Lead 0/100,000 copied, 0/s`,
    `${CLEARED}██████░░░░░░░░░░░░░░░░░░  25%  Lead 50,000/100,000 copied, 5,000/s, 0:30 left`,
    `${CLEARED}████████████████████████ 100%  Lead 100,000/100,000 verified, 7,500/s`,
  ])
})

test('a bar is drawn ten times a second at most, and leaves nothing behind', () => {
  const { at, bar, written } = terminal(120)
  for (let i = 0; i < 1000; i++) at(i / 1000).show({ stage: 'copied', table: 'Lead', done: i, rows: 1000, part: i / 2000 })
  expect(written).toHaveLength(10)
  bar.clear()
  bar.clear()
  expect(written.slice(10)).toEqual([CLEARED])
})

test('elsewhere than on a terminal there is a line every ten seconds, whole and without control characters', () => {
  const { at, bar, written } = terminal(20, false)
  for (let i = 0; i <= 25; i++) at(i).show({ stage: 'copied', table: 'Lead', done: i * 1000, rows: 100_000, part: i / 100 })
  bar.clear()
  expect(written).toEqual([' 10%  Lead 10,000/100,000 copied, 1,000/s, 1:30 left\n', ' 20%  Lead 20,000/100,000 copied, 1,000/s, 1:20 left\n'])
})

test.each([
  [70, '░░░░░░░░░░░   1%  Opportunity 1/1,000,000 copied, 0/s, 101:45:00 left'],
  [60, '  1%  Opportunity 1/1,000,000 copied, 0/s, 101:45:00 left'],
  [40, '  1%  Opportunity…, 0/s, 101:45:00 left'],
])('a bar of %d columns keeps the rate and the time left', (columns, line) => {
  const { at, written } = terminal(columns)
  at(0)
  at(3700).show({ stage: 'copied', table: 'Opportunity', done: 1, rows: 1_000_000, part: 0.01 })
  expect(written[0]?.slice(CLEARED.length)).toBe(line)
  expect(line.length).toBeLessThan(columns)
})
