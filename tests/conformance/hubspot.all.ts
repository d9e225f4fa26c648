import { conformance } from '../../src/testing/index.ts'
import { HUBSPOT } from '../support/crms/hubspot.ts'
import { FAULTS, overCrm } from '../support/crms.ts'
import { RUNNER, sharedTransports } from '../support/passes.ts'

sharedTransports('hubspot', HUBSPOT)
conformance(RUNNER, 'hubspot, over a simulator that misbehaves', () => overCrm(HUBSPOT, { faults: FAULTS, settleMs: 200 }))
