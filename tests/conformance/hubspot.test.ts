import { HUBSPOT } from '../support/crms/hubspot.ts'
import { overCrm } from '../support/crms.ts'
import { sharedPass } from '../support/passes.ts'

sharedPass('crms', 'hubspot', 'hubspot, over its simulator', () => overCrm(HUBSPOT))
