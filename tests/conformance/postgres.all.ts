import { conformance } from '../../src/testing/index.ts'
import { overHttp } from '../support/over-http.ts'
import { RUNNER, sharedTransports } from '../support/passes.ts'
import { temporaryPostgres } from '../support/postgres-store.ts'
import { validated } from '../support/validated.ts'

conformance(RUNNER, 'postgres, over HTTP, whole, every answer validated by its schema', async () => validated(await overHttp(temporaryPostgres)))
sharedTransports('postgres', temporaryPostgres)
