import { expect, test } from 'vitest'
import { runHere } from '../support/cli.ts'
import { storeForFile } from '../support/store-for-file.ts'

const { env } = storeForFile()

test('crm mirror verify says where it knows no CRM, and what to give', async () => {
  const { code, out, err } = await runHere(['mirror', 'verify'], { env })
  expect([code, out]).toEqual([5, ''])
  expect(err).toBe(
    'crm: No workspace of this store is known to use a CRM here. [conflict]\n  Give the CRM and its secrets as crm serve has them: --platform, or CRM_PLATFORM.\n',
  )
})
