import { afterAll, beforeAll, describe, test } from 'vitest'
import { conformance } from '../../src/testing/index.ts'
import { openSqlite } from '../../src/platforms/sqlite/sqlite.ts'
import { inProcess, temporarySqlite } from '../support/in-process.ts'

const runner = { describe, test, beforeAll, afterAll }

conformance(runner, 'sqlite, in a file', async () => inProcess(await temporarySqlite()))
conformance(runner, 'sqlite, in memory', async () => inProcess(await openSqlite(':memory:')))
