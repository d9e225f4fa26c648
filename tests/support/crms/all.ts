import type { CrmName } from '../../../src/platforms/crms/names.ts'
import type { Crm } from '../crms.ts'
import { ESPOCRM } from './espocrm.ts'
import { HUBSPOT } from './hubspot.ts'
import { SALESFORCE } from './salesforce.ts'

const BY_NAME: { readonly [name in CrmName]: Crm } = { salesforce: SALESFORCE, hubspot: HUBSPOT, espocrm: ESPOCRM }

/** Every CRM with its name, for `test.each`. */
export const ALL_CRMS = Object.entries(BY_NAME)
