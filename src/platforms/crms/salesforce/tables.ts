import type { ContractTables, Place, Table } from '../engine/tables.ts'

const ID: Place = { name: 'Id', kind: 'id', readOnly: true }
const CREATED: Place = { name: 'CreatedDate', kind: 'timestamp', readOnly: true }

/** The fields of every record with an owner. */
export const COMMON = {
  OwnerID: { name: 'OwnerId', kind: 'id' },
  CreatedDate: CREATED,
  UpdatedDate: { name: 'LastModifiedDate', kind: 'timestamp', readOnly: true },
} as const satisfies Table['fields']

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
      ...COMMON,
    },
    defaults: { Company: '[not provided]' },
  },
  Opportunity: {
    object: 'Opportunity',
    fields: {
      OpportunityID: ID,
      OpportunityName: { name: 'Name', kind: 'text', max: 120 },
      Stage: { name: 'StageName', kind: 'choice', values: { Negotiation: 'Negotiation/Review' } },
      CloseDate: { name: 'CloseDate', kind: 'date' },
      Amount: { name: 'Amount', kind: 'money', decimals: 2 },
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
    fields: { LeadID: { name: 'LeadId', kind: 'id' }, CampaignID: { name: 'CampaignId', kind: 'id' }, CreatedDate: CREATED },
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
