import type { ContractTables, Place, Table } from '../engine/tables.ts'
import type { SalesforcePlace } from './codec.ts'

const ID: Place = { name: 'Id', kind: 'id', readOnly: true }
const CREATED: Place = { name: 'CreatedDate', kind: 'timestamp', readOnly: true }

/** The fields of every record with an owner. */
export const COMMON = {
  OwnerID: { name: 'OwnerId', kind: 'id' },
  CreatedDate: CREATED,
  UpdatedDate: { name: 'LastModifiedDate', kind: 'timestamp', readOnly: true },
} as const satisfies Table['fields']

/** A standard field that an account may hide from us: it has no place there, and everything else works. */
const where = (name: string, kind: Place['kind'], more: Partial<SalesforcePlace> = {}): SalesforcePlace => ({ name, kind, optional: true, ...more })

const address = (prefix: string) => ({
  Street: where(`${prefix}Street`, 'text', { max: 255 }),
  City: where(`${prefix}City`, 'text', { max: 40 }),
  State: where(`${prefix}State`, 'text', { max: 80 }),
  PostalCode: where(`${prefix}PostalCode`, 'text', { max: 20 }),
  Country: where(`${prefix}Country`, 'text', { max: 80 }),
})

const BUSINESS = {
  Industry: where('Industry', 'choice', { max: 255 }),
  AnnualRevenue: where('AnnualRevenue', 'money', { decimals: 0 }),
  Employees: where('NumberOfEmployees', 'integer'),
}

const LEAD_SOURCE = { LeadSource: where('LeadSource', 'choice', { max: 255, values: { Phone: 'Phone Inquiry' } }) }

const DESCRIPTION = { Description: where('Description', 'longText', { max: 32_000, filters: false }) }

/** No account has a field for it from the beginning; one that people have made is found by its name. */
const EXTERNAL_ID = { ExternalID: null }

/** Stands for no company, which Salesforce does not take. */
const NO_COMPANY = '[not provided]'

/** Where each field lives in a new account of Salesforce. */
export const TABLES: ContractTables = {
  Lead: {
    object: 'Lead',
    fields: {
      LeadID: ID,
      FirstName: { name: 'FirstName', kind: 'text', max: 40 },
      LastName: { name: 'LastName', kind: 'text', max: 80 },
      Email: { name: 'Email', kind: 'email', max: 80 },
      Phone: { name: 'Phone', kind: 'phone', max: 40 },
      Status: { name: 'Status', kind: 'choice', required: true, values: { Open: 'Open - Not Contacted' } },
      Company: where('Company', 'text', { max: 255, placeholder: NO_COMPANY }),
      Title: where('Title', 'text', { max: 128 }),
      Salutation: where('Salutation', 'choice', { max: 40 }),
      MobilePhone: where('MobilePhone', 'phone', { max: 40 }),
      Website: where('Website', 'text', { max: 255 }),
      ...address(''),
      ...BUSINESS,
      ...LEAD_SOURCE,
      Rating: where('Rating', 'choice', { max: 255 }),
      ...DESCRIPTION,
      EmailOptOut: where('HasOptedOutOfEmail', 'boolean'),
      ...EXTERNAL_ID,
      ...COMMON,
    },
    defaults: { Company: NO_COMPANY },
  },
  Opportunity: {
    object: 'Opportunity',
    fields: {
      OpportunityID: ID,
      OpportunityName: { name: 'Name', kind: 'text', max: 120 },
      Stage: { name: 'StageName', kind: 'choice', values: { Negotiation: 'Negotiation/Review' } },
      CloseDate: { name: 'CloseDate', kind: 'date' },
      Amount: { name: 'Amount', kind: 'money', decimals: 2 },
      CompanyID: where('AccountId', 'id'),
      ContactID: where('ContactId', 'id'),
      CampaignID: where('CampaignId', 'id'),
      Type: where('Type', 'choice', { max: 255, values: { 'New Business': 'New Customer' } }),
      ...LEAD_SOURCE,
      NextStep: where('NextStep', 'text', { max: 255 }),
      Probability: where('Probability', 'integer'),
      ...DESCRIPTION,
      ...EXTERNAL_ID,
      ...COMMON,
    },
  },
  Case: {
    object: 'Case',
    fields: {
      CaseID: ID,
      Subject: { name: 'Subject', kind: 'text', max: 255 },
      Description: { name: 'Description', kind: 'longText', max: 32_000, filters: false },
      Status: { name: 'Status', kind: 'choice', required: true, max: 40, values: { 'In Progress': 'Working' } },
      Priority: where('Priority', 'choice', { max: 40 }),
      Origin: where('Origin', 'choice', { max: 40 }),
      Type: where('Type', 'choice', { max: 40 }),
      Reason: where('Reason', 'choice', { max: 40 }),
      CompanyID: where('AccountId', 'id'),
      ContactID: where('ContactId', 'id'),
      ParentID: where('ParentId', 'id'),
      ContactName: where('SuppliedName', 'text', { max: 80 }),
      ContactEmail: where('SuppliedEmail', 'email', { max: 80 }),
      ContactPhone: where('SuppliedPhone', 'phone', { max: 40 }),
      ...EXTERNAL_ID,
      ...COMMON,
    },
  },
  Company: {
    object: 'Account',
    fields: {
      CompanyID: ID,
      CompanyName: { name: 'Name', kind: 'text', max: 255 },
      Website: where('Website', 'text', { max: 255 }),
      Phone: where('Phone', 'phone', { max: 40 }),
      // A business account has no e-mail address.
      Email: null,
      ...BUSINESS,
      ...address('Billing'),
      ...DESCRIPTION,
      ...EXTERNAL_ID,
      ...COMMON,
    },
  },
  Contact: {
    object: 'Contact',
    fields: {
      ContactID: ID,
      FirstName: where('FirstName', 'text', { max: 40 }),
      LastName: { name: 'LastName', kind: 'text', max: 80 },
      Email: where('Email', 'email', { max: 80 }),
      Phone: where('Phone', 'phone', { max: 40 }),
      MobilePhone: where('MobilePhone', 'phone', { max: 40 }),
      Title: where('Title', 'text', { max: 128 }),
      CompanyID: where('AccountId', 'id'),
      ...address('Mailing'),
      ...DESCRIPTION,
      ...EXTERNAL_ID,
      ...COMMON,
    },
  },
  Campaign: {
    object: 'Campaign',
    fields: {
      CampaignID: ID,
      CampaignName: { name: 'Name', kind: 'text', max: 80 },
      Status: { name: 'Status', kind: 'choice', max: 40, values: { Active: 'In Progress' } },
      ...COMMON,
    },
  },
  Note: {
    object: 'Note',
    fields: {
      NoteID: ID,
      RecordID: { name: 'ParentId', kind: 'id' },
      Note: { name: 'Body', kind: 'longText', max: 32_000, filters: false },
      AuthorID: { name: 'OwnerId', kind: 'id' },
      CreatedDate: CREATED,
    },
  },
  Comment: {
    object: 'CaseComment',
    fields: {
      CommentID: ID,
      CaseID: { name: 'ParentId', kind: 'id' },
      Comment: { name: 'CommentBody', kind: 'longText', maxBytes: 4000, filters: false },
      Publish: { name: 'IsPublished', kind: 'boolean' },
      AuthorID: { name: 'CreatedById', kind: 'id', readOnly: true },
      CreatedDate: CREATED,
    },
  },
  Membership: {
    object: 'CampaignMember',
    fields: {
      LeadID: { name: 'LeadId', kind: 'id' },
      CampaignID: { name: 'CampaignId', kind: 'id' },
      Status: where('Status', 'choice', { max: 40 }),
      ...EXTERNAL_ID,
      CreatedDate: CREATED,
    },
  },
}

/** Modern notes are ContentNote documents: the text and the link to the parent record are stored in other objects. */
const CONTENT_NOTE: ContractTables['Note'] = {
  object: 'ContentNote',
  fields: {
    NoteID: ID,
    RecordID: { name: 'LinkedEntityId', kind: 'id' },
    Note: { name: 'Content', kind: 'longText', max: 32_000, filters: false },
    AuthorID: { name: 'CreatedById', kind: 'id', readOnly: true },
    CreatedDate: CREATED,
  },
}

export const tablesFor = ({ notes }: { readonly [option: string]: string }): ContractTables =>
  notes === 'ContentNote' ? { ...TABLES, Note: CONTENT_NOTE } : TABLES
