import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openConcurrently } from '../support/open-concurrently.ts'

test('ten processes that open a new file in the same moment all succeed, 50 times over', async () => {
  for (let round = 0; round < 50; round++) {
    const path = join(await temporaryFolder(), 'crm.db')
    await openConcurrently(10, path)
    expect(await ask(path, 'SELECT (SELECT COUNT(*) FROM "Lead") AS leads, (SELECT COUNT(*) FROM "Key") AS keys')).toEqual([{ leads: 10, keys: 1 }])
  }
})
