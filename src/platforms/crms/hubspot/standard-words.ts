/** A stage or an option, as people call it and as HubSpot does. */
export interface Choice {
  readonly label: string
  readonly id: string
}

const choices = (ids: { readonly [label: string]: string }): readonly Choice[] => Object.entries(ids).map(([label, id]) => ({ label, id }))

/** The default options of a new account, by property: used where the account does not let the app read its own. */
export const STANDARD: { readonly [object: string]: { readonly [property: string]: readonly Choice[] } } = {
  contacts: {
    hs_lead_status: choices({
      New: 'NEW',
      Open: 'OPEN',
      'In Progress': 'IN_PROGRESS',
      'Open Deal': 'OPEN_DEAL',
      Unqualified: 'UNQUALIFIED',
      'Attempted to Contact': 'ATTEMPTED_TO_CONTACT',
      Connected: 'CONNECTED',
      'Bad Timing': 'BAD_TIMING',
    }),
  },
  leads: {
    hs_pipeline_stage: choices({
      New: 'new-stage-id',
      Attempting: 'attempting-stage-id',
      Connected: 'connected-stage-id',
      Qualified: 'qualified-stage-id',
      Disqualified: 'unqualified-stage-id',
    }),
    hs_lead_label: choices({ Hot: 'HOT', Warm: 'WARM', Cold: 'COLD' }),
  },
  deals: {
    dealstage: choices({
      'Appointment Scheduled': 'appointmentscheduled',
      'Qualified To Buy': 'qualifiedtobuy',
      'Presentation Scheduled': 'presentationscheduled',
      'Decision Maker Bought-In': 'decisionmakerboughtin',
      'Contract Sent': 'contractsent',
      'Closed Won': 'closedwon',
      'Closed Lost': 'closedlost',
    }),
    dealtype: choices({ 'New Business': 'newbusiness', 'Existing Business': 'existingbusiness' }),
  },
  tickets: {
    hs_pipeline_stage: choices({ New: '1', 'Waiting on contact': '2', 'Waiting on us': '3', Closed: '4' }),
    hs_ticket_priority: choices({ Low: 'LOW', Medium: 'MEDIUM', High: 'HIGH', Urgent: 'URGENT' }),
    source_type: choices({ Chat: 'CHAT', Email: 'EMAIL', Form: 'FORM', Phone: 'PHONE' }),
    hs_ticket_category: choices({
      'Product Issue': 'PRODUCT_ISSUE',
      'Billing Issue': 'BILLING_ISSUE',
      'Feature Request': 'FEATURE_REQUEST',
      'General Inquiry': 'GENERAL_INQUIRY',
    }),
  },
  companies: {
    industry: choices({
      'Financial Services': 'FINANCIAL_SERVICES',
      'Hospital & Health Care': 'HOSPITAL_HEALTH_CARE',
      Machinery: 'MACHINERY',
      Retail: 'RETAIL',
      'Information Technology and Services': 'INFORMATION_TECHNOLOGY_AND_SERVICES',
    }),
  },
}

/** Our usual words for options of HubSpot's own, where an account has nothing that is called so. */
export const USUAL: { readonly [object: string]: { readonly [property: string]: { readonly [ours: string]: string } } } = {
  tickets: {
    source_type: { Web: 'FORM' },
    hs_ticket_category: { Problem: 'PRODUCT_ISSUE', Question: 'GENERAL_INQUIRY' },
  },
  companies: {
    industry: {
      Finance: 'FINANCIAL_SERVICES',
      Healthcare: 'HOSPITAL_HEALTH_CARE',
      Manufacturing: 'MACHINERY',
      Technology: 'INFORMATION_TECHNOLOGY_AND_SERVICES',
    },
  },
}
