import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { conformance } from '../../src/testing/index.ts'
import { inProcess } from '../support/in-process.ts'
import { RUNNER } from '../support/passes.ts'
import { validated } from '../support/validated.ts'

conformance(RUNNER, 'sqlite, in memory, every answer validated by its schema', async () => validated(await inProcess(await openSqlite(':memory:'))))
