import { ESPOCRM } from '../support/crms/espocrm.ts'
import { overCrm } from '../support/crms.ts'
import { SHARING, sharedPass } from '../support/passes.ts'

sharedPass(SHARING.crms, 'espocrm', 'espocrm, over its simulator', () => overCrm(ESPOCRM))
