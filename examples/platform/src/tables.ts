import type { ContractTables, Place, Tables } from 'crm-connector/platform'

const id: Place = { name: 'id', kind: 'id' }
const created: Place = { name: 'created', kind: 'timestamp', readOnly: true }
const author: Place = { name: 'author', kind: 'id' }
const common = { OwnerID: { name: 'owner', kind: 'id' }, CreatedDate: created, UpdatedDate: { name: 'updated', kind: 'timestamp', readOnly: true } } as const

/** Where each field of the contract lives in Notebook. A field that is missing here does not compile; null says that there is no place for it. */
export const TABLES: ContractTables = {
  Lead: {
    object: 'people',
    fields: {
      LeadID: id,
      FirstName: { name: 'first', kind: 'text' },
      LastName: { name: 'last', kind: 'text' },
      Email: { name: 'email', kind: 'email' },
      Phone: { name: 'phone', kind: 'phone' },
      Status: { name: 'status', kind: 'choice' },
      ...common,
    },
  },
  Opportunity: {
    object: 'deals',
    fields: {
      OpportunityID: id,
      OpportunityName: { name: 'title', kind: 'text' },
      Stage: { name: 'stage', kind: 'choice' },
      CloseDate: { name: 'closes', kind: 'date' },
      Amount: { name: 'amount', kind: 'money' },
      ...common,
    },
  },
  Case: {
    object: 'tickets',
    fields: {
      CaseID: id,
      Subject: { name: 'title', kind: 'text' },
      Description: { name: 'text', kind: 'longText' },
      Status: { name: 'status', kind: 'choice' },
      ...common,
    },
  },
  Campaign: {
    object: 'campaigns',
    fields: { CampaignID: id, CampaignName: { name: 'title', kind: 'text' }, Status: { name: 'status', kind: 'choice' }, ...common },
  },
  Note: {
    object: 'notes',
    fields: { NoteID: id, RecordID: { name: 'about', kind: 'id' }, Note: { name: 'text', kind: 'longText' }, AuthorID: author, CreatedDate: created },
  },
  Comment: {
    object: 'comments',
    fields: {
      CommentID: id,
      CaseID: { name: 'about', kind: 'id' },
      Comment: { name: 'text', kind: 'longText' },
      Publish: { name: 'public', kind: 'boolean' },
      AuthorID: author,
      CreatedDate: created,
    },
  },
}

/** Where the rest lives, which the configuration cannot override. */
export const OTHER_TABLES: Tables = {
  Membership: {
    object: 'members',
    fields: { MembershipID: id, LeadID: { name: 'person', kind: 'id' }, CampaignID: { name: 'campaign', kind: 'id' }, CreatedDate: created },
  },
  CustomObject: {
    object: 'things',
    fields: { ObjectID: id, ObjectName: { name: 'kind', kind: 'text' }, Values: { name: 'values', kind: 'json' }, ...common },
  },
}
