import { afterAll, beforeAll, describe, test } from 'vitest'
import { conformance } from '../../src/testing/index.ts'
import { overHttp } from '../support/over-http.ts'
import { temporaryPostgres } from '../support/postgres-store.ts'

conformance({ describe, test, beforeAll, afterAll }, 'postgres, over HTTP', () => overHttp(temporaryPostgres))
