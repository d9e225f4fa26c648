import { afterAll, beforeAll, describe, test } from 'vitest'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { conformance } from '../../src/testing/index.ts'
import { inProcess, temporarySqlite } from '../support/in-process.ts'
import { validated } from '../support/validated.ts'

const runner = { describe, test, beforeAll, afterAll }

conformance(runner, 'sqlite, in a file', async () => inProcess(await temporarySqlite()))
conformance(runner, 'sqlite, in memory, every answer validated by its schema', async () => validated(await inProcess(await openSqlite(':memory:'))))
