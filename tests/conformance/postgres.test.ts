import { inProcess } from '../support/in-process.ts'
import { everySecond } from '../support/passes.ts'
import { temporaryPostgres } from '../support/postgres-store.ts'

everySecond('postgres', async () => inProcess(await temporaryPostgres()))
