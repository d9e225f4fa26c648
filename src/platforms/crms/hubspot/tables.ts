import type { ContractTables, Place, Table } from '../engine/tables.ts'

/** What every record of HubSpot has, whatever it is. */
export const ID = 'hs_object_id'
export const OWNER = 'hubspot_owner_id'

/** The properties that a record always has, so that nothing is lost where it is sorted by them. */
export const ALWAYS: ReadonlySet<string> = new Set([ID, 'createdate', 'lastmodifieddate', 'hs_createdate', 'hs_lastmodifieddate'])

/** A property of the contact that a lead is about, where leads are objects of their own. */
export const CONTACT = 'contact.'

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

const LEAD_AS_CONTACT: ContractTables['Lead'] = {
  object: 'contacts',
  fields: {
    ...common('LeadID', 'createdate', 'lastmodifieddate'),
    FirstName: { name: 'firstname', kind: 'text' },
    LastName: { name: 'lastname', kind: 'text' },
    Email: { name: 'email', kind: 'email' },
    Phone: { name: 'phone', kind: 'phone' },
    Status: { name: 'hs_lead_status', kind: 'choice' },
  },
  fixed: { lifecyclestage: 'lead' },
}

const onContact = (name: string, kind: Place['kind']): Place => ({ name: `${CONTACT}${name}`, kind, filters: false, sorts: false })

const LEAD_AS_LEAD: ContractTables['Lead'] = {
  object: 'leads',
  fields: {
    ...common('LeadID', 'hs_createdate', 'hs_lastmodifieddate'),
    FirstName: onContact('firstname', 'text'),
    LastName: onContact('lastname', 'text'),
    Email: onContact('email', 'email'),
    Phone: onContact('phone', 'phone'),
    Status: { name: 'hs_pipeline_stage', kind: 'choice', required: true },
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
      },
    },
    Case: {
      object: 'tickets',
      fields: {
        ...common('CaseID', 'createdate', 'hs_lastmodifieddate'),
        Subject: { name: 'subject', kind: 'text' },
        Description: { name: 'content', kind: 'longText' },
        Status: { name: 'hs_pipeline_stage', kind: 'choice', required: true },
      },
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
