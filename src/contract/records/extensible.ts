import type { RecordType } from '../record.ts'
import { Campaign } from './campaign.ts'
import { Case } from './case.ts'
import { Company } from './company.ts'
import { Contact } from './contact.ts'
import { Lead } from './lead.ts'
import { Opportunity } from './opportunity.ts'

/** The record types that a workspace can add fields to. */
export const EXTENSIBLE: readonly RecordType[] = [Lead, Opportunity, Case, Company, Contact, Campaign]
