import { expect, test } from 'vitest'
import type { Context } from '../../src/testing/behaviour.ts'
import { runBehaviour } from '../../src/testing/lacking.ts'

/** How often a behaviour that never holds is run, and the error it ends with. */
async function attempts(how: { readonly sentOnce: boolean; readonly resends: number }) {
  let [runs, resent] = [0, 0]
  const context = { resent: () => resent, lacks: () => false } as Partial<Context> as Context
  const run = async () => {
    runs++
    if (runs <= how.resends) resent++
    throw new Error(`It does not hold, ${runs}`)
  }
  const error: unknown = await runBehaviour({ title: 'x', run, sentOnce: how.sentOnce }, context).catch((wrong: unknown) => wrong)
  return { runs, message: (error as Error).message }
}

test('a behaviour that does not hold is begun anew only where it is about a batch that was sent again', async () => {
  expect(await attempts({ sentOnce: true, resends: 0 })).toEqual({ runs: 1, message: 'It does not hold, 1' })
  expect(await attempts({ sentOnce: false, resends: 5 })).toEqual({ runs: 1, message: 'It does not hold, 1' })
  expect(await attempts({ sentOnce: true, resends: 2 })).toEqual({ runs: 3, message: 'It does not hold, 3' })
  expect(await attempts({ sentOnce: true, resends: Number.POSITIVE_INFINITY })).toEqual({ runs: 10, message: 'It does not hold, 10' })
})
