import { conformance } from '../../src/testing/index.ts'
import { ESPOCRM, ESPOCRM_BY_ROLE } from '../support/crms/espocrm.ts'
import { FAULTS, overCrm } from '../support/crms.ts'
import { RUNNER, sharedTransports } from '../support/passes.ts'

sharedTransports('espocrm', ESPOCRM)
conformance(RUNNER, 'espocrm, over a simulator that misbehaves', () => overCrm(ESPOCRM_BY_ROLE, { faults: FAULTS, settleMs: 200 }))
