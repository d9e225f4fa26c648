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
  },
  tickets: {
    hs_pipeline_stage: choices({ New: '1', 'Waiting on contact': '2', 'Waiting on us': '3', Closed: '4' }),
  },
}
