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

/** Where each field lives in a new EspoCRM. Lengths, options and required fields are read from its metadata when it is opened. */
export function espoTables({ currency }: { readonly [option: string]: string }): ContractTables {
  return {
    Lead: {
      object: 'Lead',
      fields: {
        FirstName: { name: 'firstName', kind: 'text' },
        LastName: { name: 'lastName', kind: 'text' },
        Email: { name: 'emailAddress', kind: 'email' },
        Phone: { name: 'phoneNumber', kind: 'phone' },
        Status: { name: 'status', kind: 'choice', values: { Open: 'New' } },
        ...COMMON,
      },
    },
    Opportunity: {
      object: 'Opportunity',
      fields: {
        OpportunityName: { name: 'name', kind: 'text' },
        Stage: { name: 'stage', kind: 'choice' },
        CloseDate: { name: 'closeDate', kind: 'date' },
        Amount: { name: 'amount', kind: 'money' },
        ...COMMON,
      },
      ...(currency !== undefined && { defaults: { amountCurrency: currency } }),
    },
    Case: {
      object: 'Case',
      fields: {
        Subject: { name: 'name', kind: 'text' },
        Description: { name: 'description', kind: 'longText' },
        Status: { name: 'status', kind: 'choice', values: { Open: 'Assigned', 'In Progress': 'Pending' } },
        ...COMMON,
      },
    },
    Campaign: {
      object: 'Campaign',
      fields: {
        CampaignName: { name: 'name', kind: 'text' },
        Status: { name: 'status', kind: 'choice', values: { Planned: 'Planning', Completed: 'Complete' } },
        ...COMMON,
      },
    },
    Note: {
      object: 'Note',
      fields: { RecordID: { name: 'parentId', kind: 'id' }, Note: { name: 'post', kind: 'longText' }, ...AUTHORED },
      fixed: POST,
    },
    Comment: {
      object: 'Note',
      fields: {
        CaseID: { name: 'parentId', kind: 'id' },
        Comment: { name: 'post', kind: 'longText' },
        Publish: { name: 'isInternal', kind: 'boolean' },
        ...AUTHORED,
      },
      fixed: POST,
    },
  }
}

/** Kept the other way round: what is not internal is published. */
export const INVERTED: ReadonlySet<string> = new Set(['isInternal'])

/** These always have a value, whatever their definition says. */
export const NEVER_NULL: ReadonlySet<string> = new Set(['id', 'createdAt', 'modifiedAt'])
