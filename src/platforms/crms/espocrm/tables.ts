import type { ContractTables, Place, Table } from '../engine/tables.ts'

const at = (name: string, readOnly = true): Place => ({ name, kind: 'timestamp', readOnly })

/** The fields of every record with an owner. */
export const COMMON = {
  OwnerID: { name: 'assignedUserId', kind: 'id' },
  CreatedDate: at('createdAt'),
  UpdatedDate: at('modifiedAt'),
} as const satisfies Table['fields']

export const commonPlace = (field: string): Place | undefined => (Object.hasOwn(COMMON, field) ? COMMON[field as keyof typeof COMMON] : undefined)

const AUTHORED = { AuthorID: { name: 'createdById', kind: 'id', readOnly: true }, CreatedDate: at('createdAt') } as const satisfies Table['fields']

/** Notes and comments are posts in the stream of their parent record. */
const POST = { type: 'Post' } as const

const text = (name: string): Place => ({ name, kind: 'text' })
const longText = (name: string): Place => ({ name, kind: 'longText' })
const id = (name: string): Place => ({ name, kind: 'id' })
const choice = (name: string, values?: Place['values']): Place => ({ name, kind: 'choice', ...(values && { values }) })

/** The parts of an address, whose field is called like this. */
const address = (field: string) => ({
  Street: text(`${field}Street`),
  City: text(`${field}City`),
  State: text(`${field}State`),
  PostalCode: text(`${field}PostalCode`),
  Country: text(`${field}Country`),
})

const REACH = { Email: { name: 'emailAddress', kind: 'email' }, Phone: { name: 'phoneNumber', kind: 'phone' } } as const satisfies Table['fields']

/** What EspoCRM has no field for as it is installed. A field of this name that an account has made is used (see `account-fields.ts`). */
const NONE = null

/** An opt-out belongs to an e-mail address, which always has one or has not. */
export const OPT_OUT: Place = {
  name: 'emailAddressIsOptedOut',
  kind: 'boolean',
  required: true,
  remark: 'EspoCRM keeps it with the e-mail address: every record with that address shows it, and one without an address cannot have it.',
}

/** The role of a contact in its company. A search by it would also find roles in other companies, so that it is compared here. */
export const CONTACT_TITLE: Place = {
  name: 'title',
  kind: 'text',
  filters: false,
  remark: 'EspoCRM keeps it as the role in the company of CompanyID, and a contact without a company has none.',
}

const SOURCES = { Web: 'Web Site', Phone: 'Call' }

/** Where each field lives in a new EspoCRM. Lengths, options and required fields are read from its metadata when it is opened. */
export function espoTables({ currency }: { readonly [option: string]: string }): ContractTables {
  return {
    Lead: {
      object: 'Lead',
      fields: {
        FirstName: text('firstName'),
        LastName: text('lastName'),
        ...REACH,
        Status: choice('status', { Open: 'New' }),
        Company: text('accountName'),
        Title: text('title'),
        Salutation: choice('salutationName'),
        // Which of several numbers is the mobile one is no field of its own there, and the first is a mobile one unless set otherwise.
        MobilePhone: NONE,
        Website: text('website'),
        ...address('address'),
        Industry: choice('industry'),
        AnnualRevenue: NONE,
        Employees: NONE,
        LeadSource: choice('source', SOURCES),
        Rating: NONE,
        Description: longText('description'),
        EmailOptOut: OPT_OUT,
        ExternalID: NONE,
        ...COMMON,
      },
    },
    Opportunity: {
      object: 'Opportunity',
      fields: {
        OpportunityName: text('name'),
        Stage: choice('stage'),
        CloseDate: { name: 'closeDate', kind: 'date' },
        Amount: { name: 'amount', kind: 'money' },
        CompanyID: id('accountId'),
        ContactID: id('contactId'),
        CampaignID: id('campaignId'),
        Type: NONE,
        LeadSource: choice('leadSource', SOURCES),
        NextStep: NONE,
        Probability: { name: 'probability', kind: 'integer', remark: 'EspoCRM sets it with the stage, unless it is given with it.' },
        Description: longText('description'),
        ExternalID: NONE,
        ...COMMON,
      },
      ...(currency !== undefined && { defaults: { amountCurrency: currency } }),
    },
    Case: {
      object: 'Case',
      fields: {
        Subject: text('name'),
        Description: longText('description'),
        Status: choice('status', { Open: 'Assigned', 'In Progress': 'Pending' }),
        Priority: choice('priority', { Medium: 'Normal' }),
        Origin: NONE,
        Type: choice('type'),
        Reason: NONE,
        CompanyID: id('accountId'),
        ContactID: id('contactId'),
        ParentID: NONE,
        ContactName: NONE,
        ContactEmail: NONE,
        ContactPhone: NONE,
        ExternalID: NONE,
        ...COMMON,
      },
    },
    Company: {
      object: 'Account',
      fields: {
        CompanyName: text('name'),
        Website: text('website'),
        ...REACH,
        Industry: choice('industry'),
        AnnualRevenue: NONE,
        Employees: NONE,
        ...address('billingAddress'),
        Description: longText('description'),
        ExternalID: NONE,
        ...COMMON,
      },
    },
    Contact: {
      object: 'Contact',
      fields: {
        FirstName: text('firstName'),
        LastName: text('lastName'),
        ...REACH,
        MobilePhone: NONE,
        Title: CONTACT_TITLE,
        CompanyID: id('accountId'),
        ...address('address'),
        Description: longText('description'),
        ExternalID: NONE,
        ...COMMON,
      },
    },
    Campaign: {
      object: 'Campaign',
      fields: {
        CampaignName: text('name'),
        Status: choice('status', { Planned: 'Planning', Completed: 'Complete' }),
        ...COMMON,
      },
    },
    Note: {
      object: 'Note',
      fields: { RecordID: id('parentId'), Note: longText('post'), ...AUTHORED },
      fixed: POST,
    },
    Comment: {
      object: 'Note',
      fields: {
        CaseID: id('parentId'),
        Comment: longText('post'),
        Publish: { name: 'isInternal', kind: 'boolean' },
        ...AUTHORED,
      },
      fixed: POST,
    },
  }
}

/** A lead on a target list: EspoCRM keeps nothing of it but that. */
export const MEMBERSHIPS: Table = { object: 'TargetList', fields: { Status: null, ExternalID: null } }

/** Kept the other way round: what is not internal is published. */
export const INVERTED: ReadonlySet<string> = new Set(['isInternal'])

/** These always have a value, whatever their definition says. */
export const NEVER_NULL: ReadonlySet<string> = new Set(['id', 'createdAt', 'modifiedAt'])
