import { optionsOf, type Property, property } from './property.ts'

/** What is known of a type of object before anybody has made one. */
export interface ObjectDefinition {
  readonly id: string
  /** In paths and in the keys of associations. */
  readonly plural: string
  readonly singular: string
  readonly groupName: string
  /** The properties in which the times of the creation and of the last change are kept. */
  readonly created: string
  readonly modified: string
  readonly properties: readonly Property[]
  /** Answered where nobody asks for others, beside the id and the two times. */
  readonly shown: readonly string[]
  /** Looked through by a search for words. */
  readonly searched: readonly string[]
  /** Without these nothing is created. */
  readonly required: readonly string[]
  /** What a new one has unless something else is sent. */
  readonly atBirth: { readonly [name: string]: string }
}

const owner = property('hubspot_owner_id', 'Owner', 'enumeration', { externalOptions: true, check: 'owner' })
const pipeline = (name: string) => property(name, 'Pipeline', 'enumeration', { externalOptions: true, check: 'pipeline' })
const stage = (name: string, label: string) => property(name, label, 'enumeration', { fieldType: 'radio', externalOptions: true, check: 'stage' })
const long = { fieldType: 'textarea' } as const
const phone = { fieldType: 'phonenumber' } as const
const text = (name: string, label: string, more: Partial<Property> = {}) => property(name, label, 'string', more)
const choice = (name: string, label: string, values: readonly string[], labels?: readonly string[]) =>
  property(name, label, 'enumeration', { options: optionsOf(values, labels) })

/** Properties that HubSpot alone writes. */
function kept(created: string, modified: string, createdReadOnly: boolean): Property[] {
  return [
    property('hs_object_id', 'Record ID', 'number', { readOnly: true, hasUniqueValue: true }),
    property(created, 'Create Date', 'datetime', { readOnly: createdReadOnly }),
    property(modified, 'Last Modified Date', 'datetime', { readOnly: true }),
  ]
}

const LIFECYCLE_STAGES = ['subscriber', 'lead', 'marketingqualifiedlead', 'salesqualifiedlead', 'opportunity', 'customer', 'evangelist', 'other']
const LIFECYCLE_LABELS = ['Subscriber', 'Lead', 'Marketing Qualified Lead', 'Sales Qualified Lead', 'Opportunity', 'Customer', 'Evangelist', 'Other']
const LEAD_STATUSES = ['NEW', 'OPEN', 'IN_PROGRESS', 'OPEN_DEAL', 'UNQUALIFIED', 'ATTEMPTED_TO_CONTACT', 'CONNECTED', 'BAD_TIMING']
const LEAD_STATUS_LABELS = ['New', 'Open', 'In Progress', 'Open Deal', 'Unqualified', 'Attempted to Contact', 'Connected', 'Bad Timing']

/** The types that every account has, as far as they are simulated. */
export const STANDARD_OBJECTS: readonly ObjectDefinition[] = [
  {
    id: '0-1',
    plural: 'contacts',
    singular: 'contact',
    groupName: 'contactinformation',
    created: 'createdate',
    modified: 'lastmodifieddate',
    properties: [
      text('firstname', 'First Name'),
      text('lastname', 'Last Name'),
      text('email', 'Email', { check: 'email', hasUniqueValue: true }),
      text('phone', 'Phone Number', phone),
      text('mobilephone', 'Mobile Phone Number', phone),
      text('company', 'Company Name'),
      text('jobtitle', 'Job Title'),
      text('website', 'Website URL'),
      text('address', 'Street Address'),
      text('city', 'City'),
      text('state', 'State/Region'),
      text('zip', 'Postal Code'),
      text('country', 'Country/Region'),
      text('message', 'Message', long),
      property('lifecyclestage', 'Lifecycle Stage', 'enumeration', { fieldType: 'radio', options: optionsOf(LIFECYCLE_STAGES, LIFECYCLE_LABELS) }),
      property('hs_lead_status', 'Lead Status', 'enumeration', { fieldType: 'radio', options: optionsOf(LEAD_STATUSES, LEAD_STATUS_LABELS) }),
      owner,
      ...kept('createdate', 'lastmodifieddate', true),
    ],
    shown: ['email', 'firstname', 'lastname'],
    searched: ['firstname', 'lastname', 'email', 'phone', 'mobilephone', 'company'],
    required: [],
    atBirth: { lifecyclestage: 'lead' },
  },
  {
    id: '0-2',
    plural: 'companies',
    singular: 'company',
    groupName: 'companyinformation',
    created: 'createdate',
    modified: 'hs_lastmodifieddate',
    properties: [
      text('name', 'Company name'),
      text('domain', 'Company Domain Name'),
      text('phone', 'Phone Number', phone),
      text('website', 'Website URL'),
      text('address', 'Street Address'),
      text('city', 'City'),
      text('state', 'State/Region'),
      text('zip', 'Postal Code'),
      text('country', 'Country/Region'),
      text('description', 'Description', long),
      property('annualrevenue', 'Annual Revenue', 'number'),
      property('numberofemployees', 'Number of Employees', 'number'),
      property('lifecyclestage', 'Lifecycle Stage', 'enumeration', { fieldType: 'radio', options: optionsOf(LIFECYCLE_STAGES, LIFECYCLE_LABELS) }),
      owner,
      ...kept('createdate', 'hs_lastmodifieddate', true),
    ],
    shown: ['name', 'domain'],
    searched: ['name', 'domain', 'phone', 'website'],
    required: [],
    atBirth: {},
  },
  {
    id: '0-3',
    plural: 'deals',
    singular: 'deal',
    groupName: 'dealinformation',
    created: 'createdate',
    modified: 'hs_lastmodifieddate',
    properties: [
      text('dealname', 'Deal Name'),
      stage('dealstage', 'Deal Stage'),
      pipeline('pipeline'),
      property('amount', 'Amount', 'number'),
      property('closedate', 'Close Date', 'datetime'),
      text('description', 'Deal Description', long),
      choice('dealtype', 'Deal Type', ['newbusiness', 'existingbusiness'], ['New Business', 'Existing Business']),
      choice('hs_priority', 'Priority', ['low', 'medium', 'high'], ['Low', 'Medium', 'High']),
      owner,
      ...kept('createdate', 'hs_lastmodifieddate', false),
    ],
    shown: ['amount', 'closedate', 'dealname', 'dealstage', 'pipeline'],
    searched: ['dealname', 'pipeline', 'dealstage', 'description', 'dealtype'],
    required: [],
    atBirth: { pipeline: 'default' },
  },
  {
    id: '0-5',
    plural: 'tickets',
    singular: 'ticket',
    groupName: 'ticketinformation',
    created: 'createdate',
    modified: 'hs_lastmodifieddate',
    properties: [
      text('subject', 'Ticket name'),
      text('content', 'Ticket description', long),
      pipeline('hs_pipeline'),
      stage('hs_pipeline_stage', 'Ticket status'),
      choice('hs_ticket_priority', 'Priority', ['LOW', 'MEDIUM', 'HIGH', 'URGENT'], ['Low', 'Medium', 'High', 'Urgent']),
      property('hs_ticket_category', 'Category', 'enumeration', {
        fieldType: 'checkbox',
        options: optionsOf(
          ['PRODUCT_ISSUE', 'BILLING_ISSUE', 'FEATURE_REQUEST', 'GENERAL_INQUIRY'],
          ['Product Issue', 'Billing Issue', 'Feature Request', 'General Inquiry'],
        ),
      }),
      choice('source_type', 'Source', ['CHAT', 'EMAIL', 'FORM', 'PHONE'], ['Chat', 'Email', 'Form', 'Phone']),
      owner,
      ...kept('createdate', 'hs_lastmodifieddate', false),
    ],
    shown: ['content', 'hs_pipeline', 'hs_pipeline_stage', 'hs_ticket_category', 'hs_ticket_priority', 'subject'],
    searched: ['subject', 'content', 'hs_pipeline_stage', 'hs_ticket_category'],
    required: ['hs_pipeline_stage'],
    atBirth: { hs_pipeline: '0' },
  },
  {
    id: '0-46',
    plural: 'notes',
    singular: 'note',
    groupName: 'engagement',
    created: 'hs_createdate',
    modified: 'hs_lastmodifieddate',
    properties: [
      text('hs_note_body', 'Note body', { fieldType: 'html' }),
      property('hs_timestamp', 'Activity date', 'datetime'),
      text('hs_attachment_ids', 'Attached file IDs'),
      owner,
      ...kept('hs_createdate', 'hs_lastmodifieddate', true),
    ],
    shown: [],
    searched: ['hs_note_body'],
    required: ['hs_timestamp'],
    atBirth: {},
  },
  {
    id: '0-136',
    plural: 'leads',
    singular: 'lead',
    groupName: 'leadinformation',
    created: 'hs_createdate',
    modified: 'hs_lastmodifieddate',
    properties: [
      text('hs_lead_name', 'Lead Name'),
      choice('hs_lead_type', 'Lead Type', ['NEW BUSINESS', 'RE-ATTEMPTING', 'UPSELL'], ['New business', 'Re-attempting', 'Upsell']),
      choice('hs_lead_label', 'Lead Label', ['WARM', 'HOT', 'COLD'], ['Warm', 'Hot', 'Cold']),
      pipeline('hs_pipeline'),
      stage('hs_pipeline_stage', 'Lead Stage'),
      owner,
      ...kept('hs_createdate', 'hs_lastmodifieddate', true),
    ],
    shown: ['hs_lead_name', 'hs_pipeline', 'hs_pipeline_stage'],
    searched: ['hs_lead_name'],
    required: ['hs_lead_name'],
    atBirth: { hs_pipeline: 'lead-pipeline-id' },
  },
]

/** What a type of object made by the account has of its own. */
export function customObject(
  id: string,
  name: string,
  fullyQualifiedName: string,
  properties: readonly Property[],
  more: Partial<ObjectDefinition>,
): ObjectDefinition {
  return {
    id,
    plural: fullyQualifiedName,
    singular: fullyQualifiedName,
    groupName: `${name}_information`,
    created: 'hs_createdate',
    modified: 'hs_lastmodifieddate',
    properties: [...properties, owner, ...kept('hs_createdate', 'hs_lastmodifieddate', true)],
    shown: [],
    searched: [],
    required: [],
    atBirth: {},
    ...more,
  }
}
