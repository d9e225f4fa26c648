import { expect, test } from 'vitest'
import { STORES } from '../../support/stores.ts'

test.each(STORES)('a new store has not been upgraded, on $platform', async ({ open }) => {
  const store = await open()
  expect(store.remark).toBeUndefined()
  await store.close()
})
