import { ESPOCRM } from '../support/crms/espocrm.ts'
import { overCrm } from '../support/crms.ts'
import { sharedPass } from '../support/passes.ts'

sharedPass('crms', 'espocrm', 'espocrm, over its simulator', () => overCrm(ESPOCRM))
