import type { ContractTables, Place, Tables } from 'crm-connector/platform'

const id: Place = { name: 'id', kind: 'id' }
const created: Place = { name: 'created', kind: 'timestamp', readOnly: true }
const author: Place = { name: 'author', kind: 'id' }
const common = { OwnerID: { name: 'owner', kind: 'id' }, CreatedDate: created, UpdatedDate: { name: 'updated', kind: 'timestamp', readOnly: true } } as const

const text = (name: string): Place => ({ name, kind: 'text' })
const choice = (name: string): Place => ({ name, kind: 'choice' })
const reference = (name: string): Place => ({ name, kind: 'id' })

const address = { Street: text('street'), City: text('city'), State: text('state'), PostalCode: text('zip'), Country: text('country') }
const business = {
  Industry: choice('industry'),
  AnnualRevenue: { name: 'revenue', kind: 'money' },
  Employees: { name: 'employees', kind: 'integer' },
} as const
const reach = { Email: { name: 'email', kind: 'email' }, Phone: { name: 'phone', kind: 'phone' } } as const
const mobile: Place = { name: 'mobile', kind: 'phone' }
const described = { Description: { name: 'text', kind: 'longText' }, ExternalID: text('external') } as const

/** Where each field of the contract lives in Notebook. A field that is missing here does not compile; null says that there is no place for it. */
export const TABLES: ContractTables = {
  Lead: {
    object: 'people',
    fields: {
      LeadID: id,
      FirstName: text('first'),
      LastName: text('last'),
      ...reach,
      MobilePhone: mobile,
      Status: choice('status'),
      Company: text('company'),
      Title: text('title'),
      Salutation: choice('salutation'),
      Website: text('website'),
      ...address,
      ...business,
      LeadSource: choice('source'),
      Rating: choice('rating'),
      EmailOptOut: { name: 'noMail', kind: 'boolean' },
      ...described,
      ...common,
    },
  },
  Opportunity: {
    object: 'deals',
    fields: {
      OpportunityID: id,
      OpportunityName: text('title'),
      Stage: choice('stage'),
      CloseDate: { name: 'closes', kind: 'date' },
      Amount: { name: 'amount', kind: 'money' },
      CompanyID: reference('firm'),
      ContactID: reference('person'),
      CampaignID: reference('campaign'),
      Type: choice('type'),
      LeadSource: choice('source'),
      NextStep: text('next'),
      Probability: { name: 'probability', kind: 'integer' },
      ...described,
      ...common,
    },
  },
  Case: {
    object: 'tickets',
    fields: {
      CaseID: id,
      Subject: text('title'),
      Status: choice('status'),
      Priority: choice('priority'),
      Origin: choice('origin'),
      Type: choice('type'),
      Reason: choice('reason'),
      CompanyID: reference('firm'),
      ContactID: reference('person'),
      ParentID: reference('parent'),
      ContactName: text('writer'),
      ContactEmail: { name: 'writerEmail', kind: 'email' },
      ContactPhone: { name: 'writerPhone', kind: 'phone' },
      ...described,
      ...common,
    },
  },
  Company: {
    object: 'firms',
    fields: { CompanyID: id, CompanyName: text('name'), Website: text('website'), ...reach, ...business, ...address, ...described, ...common },
  },
  Contact: {
    object: 'contacts',
    fields: {
      ContactID: id,
      FirstName: text('first'),
      LastName: text('last'),
      ...reach,
      MobilePhone: mobile,
      Title: text('title'),
      CompanyID: reference('firm'),
      ...address,
      ...described,
      ...common,
    },
  },
  Campaign: {
    object: 'campaigns',
    fields: { CampaignID: id, CampaignName: text('title'), Status: choice('status'), ...common },
  },
  Note: {
    object: 'notes',
    fields: { NoteID: id, RecordID: reference('about'), Note: { name: 'text', kind: 'longText' }, AuthorID: author, CreatedDate: created },
  },
  Comment: {
    object: 'comments',
    fields: {
      CommentID: id,
      CaseID: reference('about'),
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
    fields: {
      MembershipID: id,
      LeadID: reference('person'),
      CampaignID: reference('campaign'),
      Status: choice('status'),
      ExternalID: text('external'),
      CreatedDate: created,
    },
  },
  CustomObject: {
    object: 'things',
    fields: { ObjectID: id, ObjectName: text('kind'), Values: { name: 'values', kind: 'json' }, ...common },
  },
}
