import { expect, test } from 'vitest'
import { runHere } from '../support/cli.ts'
import { storeForFile } from '../support/store-for-file.ts'

const { env } = storeForFile()

test('crm mirror verify says where there is no mirror, and what makes one', async () => {
  const { code, out, err } = await runHere(['mirror', 'verify'], { env })
  expect([code, out]).toEqual([5, ''])
  expect(err).toBe('crm: No workspace has a mirror that is complete. [conflict]\n  crm serve makes one of each CRM that it watches: see docs/watch.md.\n')
})
