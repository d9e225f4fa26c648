import { HUBSPOT } from '../support/crms/hubspot.ts'
import { overCrm } from '../support/crms.ts'
import { share } from '../support/passes.ts'

share('hubspot', 'hubspot, over its simulator', () => overCrm(HUBSPOT, { late: true }))
