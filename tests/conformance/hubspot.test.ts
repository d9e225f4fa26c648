import { HUBSPOT } from '../support/crms/hubspot.ts'
import { overCrm } from '../support/crms.ts'
import { SHARING, sharedPass } from '../support/passes.ts'

sharedPass(SHARING.crms, 'hubspot', 'hubspot, over its simulator', () => overCrm(HUBSPOT))
