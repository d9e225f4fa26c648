import { conformance } from '../../src/testing/index.ts'
import { overHttp } from '../support/over-http.ts'
import { RUNNER, sharedTransports } from '../support/passes.ts'
import { temporaryPostgres } from '../support/postgres-store.ts'

conformance(RUNNER, 'postgres, over HTTP, whole', () => overHttp(temporaryPostgres))
sharedTransports('postgres', temporaryPostgres)
