import { inProcessSdk } from '../support/in-process-sdk.ts'
import { SHARING, sharedPass } from '../support/passes.ts'

sharedPass(SHARING.transports, 'sdk', 'sqlite, in the process of the caller', () => inProcessSdk())
