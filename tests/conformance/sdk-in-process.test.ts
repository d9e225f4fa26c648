import { inProcessSdk } from '../support/in-process-sdk.ts'
import { share } from '../support/passes.ts'

share('sdk', 'sqlite, in the process of the caller', () => inProcessSdk())
