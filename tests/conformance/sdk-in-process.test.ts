import { inProcessSdk } from '../support/in-process-sdk.ts'
import { sharedPass } from '../support/passes.ts'

sharedPass('transports', 'sdk', 'sqlite, in the process of the caller', () => inProcessSdk())
