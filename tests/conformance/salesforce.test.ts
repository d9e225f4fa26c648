import { SALESFORCE } from '../support/crms/salesforce.ts'
import { overCrm } from '../support/crms.ts'
import { sharedPass } from '../support/passes.ts'

sharedPass('crms', 'salesforce', 'salesforce, over its simulator', () => overCrm(SALESFORCE))
