import { ESPOCRM } from '../support/crms/espocrm.ts'
import { overCrm } from '../support/crms.ts'
import { share } from '../support/passes.ts'

share('espocrm', 'espocrm, over its simulator', () => overCrm(ESPOCRM, { late: true }))
