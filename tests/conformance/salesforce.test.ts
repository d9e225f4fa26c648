import { SALESFORCE } from '../support/crms/salesforce.ts'
import { overCrm } from '../support/crms.ts'
import { share } from '../support/passes.ts'

share('salesforce', 'salesforce, over its simulator', () => overCrm(SALESFORCE, { late: true }))
