import { conformance } from '../../src/testing/index.ts'
import { SALESFORCE } from '../support/crms/salesforce.ts'
import { FAULTS, overCrm } from '../support/crms.ts'
import { RUNNER, sharedTransports } from '../support/passes.ts'

sharedTransports('salesforce', SALESFORCE)
conformance(RUNNER, 'salesforce, over a simulator that misbehaves', () => overCrm(SALESFORCE, { faults: FAULTS, settleMs: 200 }))
