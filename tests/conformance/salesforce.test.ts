import { SALESFORCE } from '../support/crms/salesforce.ts'
import { overCrm } from '../support/crms.ts'
import { SHARING, sharedPass } from '../support/passes.ts'

sharedPass(SHARING.crms, 'salesforce', 'salesforce, over its simulator', () => overCrm(SALESFORCE))
