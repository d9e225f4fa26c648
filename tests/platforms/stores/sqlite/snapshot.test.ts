import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connect, DURABLE, READING, sqliteDriver } from '../../../../src/platforms/stores/sqlite/connection.ts'
import { sharingSnapshots } from '../../../../src/platforms/stores/sqlite/snapshot.ts'
import { temporaryFolder } from '../../../support/folder.ts'

test('a snapshot is shared within a turn, and a request that arrives sees what was committed before', async () => {
  const path = join(await temporaryFolder(), 'crm.db')
  const driver = await sqliteDriver()
  const other = connect(driver, path, DURABLE)
  other.exec('CREATE TABLE "Word" ("Text" TEXT)')
  const reading = sharingSnapshots(connect(driver, path, READING))
  onTestFinished(() => {
    reading.close()
    other.close()
  })
  const seen = () => [reading.get('SELECT COUNT(*) AS n FROM "Word"', [])?.n, reading.version?.()]
  const write = () => other.run('INSERT INTO "Word" VALUES (?)', ['x'])

  const [, version] = seen()
  write()
  expect(seen()).toEqual([0, version])
  reading.refresh()
  const [count, newer] = seen()
  expect(count).toBe(1)
  expect(newer).not.toBe(version)
  // The requests of a turn share a snapshot.
  write()
  reading.refresh()
  expect(seen()).toEqual([1, newer])
  await new Promise(setImmediate)
  expect(seen()[0]).toBe(2)
})
