import { inProcess } from '../support/in-process.ts'
import { share } from '../support/passes.ts'
import { temporaryPostgres } from '../support/postgres-store.ts'

share('postgres', 'postgres', async () => inProcess(await temporaryPostgres()))
