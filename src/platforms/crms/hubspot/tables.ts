import type { ContractTables, Place, Table } from '../engine/tables.ts'

/** What every record of HubSpot has, whatever it is. */
export const ID = 'hs_object_id'
export const OWNER = 'hubspot_owner_id'

/** The properties that a record always has, so that nothing is lost where it is sorted by them. */
export const ALWAYS: ReadonlySet<string> = new Set([ID, 'createdate', 'lastmodifieddate', 'hs_createdate', 'hs_lastmodifieddate'])

/** A property of the contact that a lead is about, where leads are objects of their own. */
export const CONTACT = 'contact.'

/** How probable people say it is that a deal is won, as a part of 1. What follows from its stage alone is another property, which cannot be written. */
export const PROBABILITY = 'hs_forecast_probability'

/** The ids of HubSpot's own object types, as lists want them; custom objects are called by their ids anyway. */
export const TYPE_IDS: { readonly [object: string]: string } = {
  contacts: '0-1',
  companies: '0-2',
  deals: '0-3',
  tickets: '0-5',
  notes: '0-46',
  leads: '0-136',
}

/** The fields that records of a type have beside their own, by the names of the properties that hold their times. */
export function common<Id extends string>(id: Id, created: string, modified: string) {
  const places = {
    [id]: { name: ID, kind: 'id', readOnly: true },
    OwnerID: { name: OWNER, kind: 'id' },
    CreatedDate: { name: created, kind: 'timestamp', readOnly: true },
    UpdatedDate: { name: modified, kind: 'timestamp', readOnly: true },
  }
  return places as { readonly [field in Id | 'OwnerID' | 'CreatedDate' | 'UpdatedDate']: Place }
}

/** A reference of ours that is an association in HubSpot: `associations.company`, by the name that its searches have for it. */
export const ASSOCIATED = 'associations.'

/** A reference to a company or a contact. */
const associated = (to: 'company' | 'contact'): Place => ({ name: `${ASSOCIATED}${to}`, kind: 'id' })

const text = (name: string): Place => ({ name, kind: 'text' })

/** Where contacts and companies alike have an address. */
const ADDRESS = { Street: text('address'), City: text('city'), State: text('state'), PostalCode: text('zip'), Country: text('country') }

/** What contacts have for leads and contacts alike. */
const PERSON = {
  FirstName: text('firstname'),
  LastName: text('lastname'),
  Email: { name: 'email', kind: 'email' },
  Phone: { name: 'phone', kind: 'phone' },
  MobilePhone: { name: 'mobilephone', kind: 'phone' },
  Title: text('jobtitle'),
  ...ADDRESS,
  Description: { name: 'message', kind: 'longText' },
} as const satisfies Table['fields']

/** What contacts have for leads alone. A contact has its revenue as a text, and the number of employees as a range, which is no number of ours. */
const PROSPECT = {
  Company: text('company'),
  Salutation: { name: 'salutation', kind: 'choice' },
  Website: text('website'),
  Industry: { name: 'industry', kind: 'choice' },
  AnnualRevenue: { name: 'annualrevenue', kind: 'money', filters: false, sorts: false },
} as const satisfies Table['fields']

/** What HubSpot has no property for, or none that can be written. A property of the account's own that is called so takes its place. */
const LACKING = { Employees: null, LeadSource: null, EmailOptOut: null, ExternalID: null }

/** What tells contacts that are leads from those that are not. */
const LEAD_STAGE = { lifecyclestage: 'lead' }
/** The stage of a new contact: of HubSpot's own, the one that says nothing of a sale. Without one HubSpot makes it a lead. */
const CONTACT_STAGE = { lifecyclestage: 'other' }

const LEAD_AS_CONTACT: ContractTables['Lead'] = {
  object: 'contacts',
  fields: {
    ...common('LeadID', 'createdate', 'lastmodifieddate'),
    ...PERSON,
    ...PROSPECT,
    ...LACKING,
    Status: { name: 'hs_lead_status', kind: 'choice' },
    Rating: null,
  },
  fixed: LEAD_STAGE,
}

/** The same places, on the contact that a lead is about. */
function onContact<Fields extends { readonly [ours: string]: Place }>(fields: Fields): { readonly [ours in keyof Fields]: Place } {
  const places = Object.entries<Place>(fields).map(([ours, place]) => [ours, { ...place, name: `${CONTACT}${place.name}`, filters: false, sorts: false }])
  return Object.fromEntries(places)
}

const LEAD_AS_LEAD: ContractTables['Lead'] = {
  object: 'leads',
  fields: {
    ...common('LeadID', 'hs_createdate', 'hs_lastmodifieddate'),
    ...onContact(PERSON),
    ...onContact(PROSPECT),
    ...LACKING,
    Status: { name: 'hs_pipeline_stage', kind: 'choice', required: true },
    Rating: { name: 'hs_lead_label', kind: 'choice' },
  },
}

const AUTHORED = {
  AuthorID: { name: OWNER, kind: 'id' },
  CreatedDate: { name: 'hs_createdate', kind: 'timestamp', readOnly: true },
} as const satisfies Table['fields']

/** Where everything lives in HubSpot unless the configuration says otherwise. Words of pipelines are read from the account. */
export function tables({ leads = 'contact' }: { readonly leads?: string }): ContractTables {
  const Lead = leads === 'lead' ? LEAD_AS_LEAD : LEAD_AS_CONTACT
  return {
    Lead,
    Opportunity: {
      object: 'deals',
      fields: {
        ...common('OpportunityID', 'createdate', 'hs_lastmodifieddate'),
        OpportunityName: { name: 'dealname', kind: 'text' },
        Stage: { name: 'dealstage', kind: 'choice' },
        CloseDate: { name: 'closedate', kind: 'date' },
        Amount: { name: 'amount', kind: 'money' },
        CompanyID: associated('company'),
        ContactID: associated('contact'),
        CampaignID: null,
        Type: { name: 'dealtype', kind: 'choice' },
        LeadSource: null,
        NextStep: text('hs_next_step'),
        Probability: { name: PROBABILITY, kind: 'integer', filters: false, sorts: false },
        Description: { name: 'description', kind: 'longText' },
        ExternalID: null,
      },
    },
    Case: {
      object: 'tickets',
      fields: {
        ...common('CaseID', 'createdate', 'hs_lastmodifieddate'),
        Subject: { name: 'subject', kind: 'text' },
        Description: { name: 'content', kind: 'longText' },
        Status: { name: 'hs_pipeline_stage', kind: 'choice', required: true },
        Priority: { name: 'hs_ticket_priority', kind: 'choice' },
        Origin: { name: 'source_type', kind: 'choice' },
        Type: { name: 'hs_ticket_category', kind: 'choice' },
        Reason: null,
        CompanyID: associated('company'),
        ContactID: associated('contact'),
        ParentID: null,
        ContactName: null,
        ContactEmail: null,
        ContactPhone: null,
        ExternalID: null,
      },
    },
    Company: {
      object: 'companies',
      fields: {
        ...common('CompanyID', 'createdate', 'hs_lastmodifieddate'),
        CompanyName: text('name'),
        Website: text('website'),
        Phone: { name: 'phone', kind: 'phone' },
        Email: null,
        Industry: { name: 'industry', kind: 'choice' },
        AnnualRevenue: { name: 'annualrevenue', kind: 'money' },
        Employees: { name: 'numberofemployees', kind: 'integer' },
        ...ADDRESS,
        Description: { name: 'description', kind: 'longText' },
        ExternalID: null,
      },
    },
    Contact: {
      object: 'contacts',
      fields: { ...common('ContactID', 'createdate', 'lastmodifieddate'), ...PERSON, CompanyID: associated('company'), ExternalID: null },
      ...(Lead.object === 'contacts' && { defaults: CONTACT_STAGE }),
    },
    Campaign: {
      object: 'lists',
      fields: {
        CampaignID: { name: 'listId', kind: 'id', readOnly: true },
        CampaignName: { name: 'name', kind: 'text' },
        Status: null,
        OwnerID: null,
        CreatedDate: { name: 'createdAt', kind: 'timestamp', readOnly: true },
        UpdatedDate: { name: 'updatedAt', kind: 'timestamp', readOnly: true },
      },
      fixed: { objectTypeId: TYPE_IDS[Lead.object] ?? Lead.object, processingType: 'MANUAL' },
    },
    Note: {
      object: 'notes',
      fields: { NoteID: { name: ID, kind: 'id', readOnly: true }, Note: { name: 'hs_note_body', kind: 'longText' }, ...AUTHORED },
    },
    Comment: {
      object: 'notes',
      fields: { CommentID: { name: ID, kind: 'id', readOnly: true }, Comment: { name: 'hs_note_body', kind: 'longText' }, Publish: null, ...AUTHORED },
    },
  }
}
