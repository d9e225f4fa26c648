import { afterAll, beforeAll, describe, test } from 'vitest'
import { conformance } from '../../src/testing/index.ts'
import { inProcess } from '../support/in-process.ts'
import { temporaryPostgres } from '../support/postgres-store.ts'
import { validated } from '../support/validated.ts'

conformance({ describe, test, beforeAll, afterAll }, 'postgres, every answer validated by its schema', async () =>
  validated(await inProcess(await temporaryPostgres())),
)
