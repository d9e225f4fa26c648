import { conformance } from '../../src/testing/index.ts'
import { inProcessSdk } from '../support/in-process-sdk.ts'
import { everyTransport, RUNNER } from '../support/passes.ts'
import { temporaryDatabase } from '../support/postgres.ts'
import { temporaryPostgres } from '../support/postgres-store.ts'

conformance(RUNNER, 'postgres, in the process of the caller', async () => {
  const { url, drop } = await temporaryDatabase()
  const connection = await inProcessSdk(url)
  return { ...connection, close: () => connection.close().then(drop) }
})
everyTransport('postgres', temporaryPostgres)
