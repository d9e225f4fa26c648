import { conformance } from '../../src/testing/index.ts'
import { inProcess } from '../support/in-process.ts'
import { RUNNER } from '../support/passes.ts'
import { temporaryPostgres } from '../support/postgres-store.ts'

conformance(RUNNER, 'postgres', async () => inProcess(await temporaryPostgres()))
