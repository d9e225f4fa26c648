import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createClock, idFloor } from '../../../../src/platforms/stores/sql/ids.ts'

const moment = fc.date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('3000-01-01T00:00:00Z'), noInvalidDate: true }).map((date) => date.getTime())

describe('ids', () => {
  test('of a moment lie between its floor and the next, so that a range of moments is a range of ids', () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: 1, max: 20 }), (time, count) => {
        const clock = createClock(() => time)
        for (let i = 0; i < count; i++) {
          const { id, at } = clock.newId()
          expect(Date.parse(at)).toBe(time)
          expect(id >= String(idFloor(time)) && id < String(idFloor(time + 1))).toBe(true)
        }
      }),
    )
  })

  test('grow, also within a millisecond and when the clock of the machine is set back', () => {
    fc.assert(
      fc.property(fc.array(moment, { minLength: 2, maxLength: 50 }), (times) => {
        let now = 0
        const clock = createClock(() => now)
        const born = times.map((time) => {
          now = time
          return clock.newId()
        })
        for (const [i, { id, at }] of born.entries()) {
          if (i === 0) continue
          expect(id > String(born[i - 1]?.id)).toBe(true)
          expect(at >= String(born[i - 1]?.at)).toBe(true)
        }
      }),
    )
  })

  test('of two processes in one millisecond differ', () => {
    const ids = Array.from({ length: 10_000 }, () => createClock(() => 1_800_000_000_000).newId().id)
    expect(new Set(ids).size).toBe(10_000)
  })

  test('have a floor for every moment: the first below the beginning, none beyond the end', () => {
    expect(idFloor(-1)).toBe(idFloor(0))
    expect(idFloor(Date.parse('+100000-01-01T00:00:00Z'))).toBeUndefined()
  })
})
