import { conformance } from '../../src/testing/index.ts'
import { inProcess, temporarySqlite } from '../support/in-process.ts'
import { inProcessSdk } from '../support/in-process-sdk.ts'
import { everyTransport, RUNNER } from '../support/passes.ts'

conformance(RUNNER, 'sqlite, in a file', async () => inProcess(await temporarySqlite()))
conformance(RUNNER, 'sqlite, in the process of the caller', () => inProcessSdk())
everyTransport('sqlite')
