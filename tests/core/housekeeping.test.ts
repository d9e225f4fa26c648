import { expect, onTestFinished, test } from 'vitest'
import { startHousekeeping } from '../../src/core/journal/housekeeping.ts'
import { createService } from '../../src/core/service.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'

test('a sweep begins only after the one before has ended, also when that failed', async () => {
  const sqlite = await openSqlite(':memory:')
  onTestFinished(() => sqlite.close())
  let [running, most, begun] = [0, 0, 0]
  let enough = () => {}
  const several = new Promise<void>((resolve) => {
    enough = resolve
  })
  const store = {
    ...sqlite,
    // Longer than the pause between two sweeps, and every other one fails.
    async sweep() {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running--
      if (++begun === 4) enough()
      if (begun % 2 === 0) throw new Error('The disk is full.')
      return 0
    },
  }
  const errors: unknown[] = []
  const stop = startHousekeeping(createService({ platform: store, store }), (error) => errors.push(error), { firstMs: 0, everyMs: 1 })
  await several
  await stop()
  expect(most).toBe(1)
  expect(errors.length).toBeGreaterThan(0)
})
