const LEAD_SOURCES = ['Web', 'Phone Inquiry', 'Partner Referral', 'Purchased List', 'Other']
const INDUSTRIES =
  'Agriculture|Apparel|Banking|Biotechnology|Chemicals|Communications|Construction|Consulting|Education|Electronics|Energy|Engineering|Entertainment|Environmental|Finance|Food & Beverage|Government|Healthcare|Hospitality|Insurance|Machinery|Manufacturing|Media|Not For Profit|Recreation|Retail|Shipping|Technology|Telecommunications|Transportation|Utilities|Other'.split(
    '|',
  )

/** The picklists of a new org, in order; `*` marks the default. */
export const PICKLISTS: { readonly [name: string]: readonly string[] } = {
  salutations: ['Mr.', 'Ms.', 'Mrs.', 'Dr.', 'Prof.', 'Mx.'],
  accuracies: ['Address', 'NearAddress', 'Block', 'Street', 'ExtendedZip', 'Zip', 'Neighborhood', 'City', 'County', 'State', 'Unknown'],
  sources: LEAD_SOURCES,
  industries: INDUSTRIES,
  ratings: ['Hot', 'Warm', 'Cold'],
  leadStatus: ['Open - Not Contacted*', 'Working - Contacted', 'Closed - Converted', 'Closed - Not Converted'],
  cleanStatus: ['Matched', 'Different', 'Acknowledged', 'NotFound', 'Inactive', 'Pending', 'SelectMatch', 'Skipped'],
  opportunityTypes: ['Existing Customer - Upgrade', 'Existing Customer - Replacement', 'Existing Customer - Downgrade', 'New Customer'],
  stages: [
    'Prospecting',
    'Qualification',
    'Needs Analysis',
    'Value Proposition',
    'Id. Decision Makers',
    'Perception Analysis',
    'Proposal/Price Quote',
    'Negotiation/Review',
    'Closed Won',
    'Closed Lost',
  ],
  forecasts: ['Omitted', 'Pipeline', 'BestCase', 'MostLikely', 'Forecast', 'Closed'],
  forecastNames: ['Omitted', 'Pipeline', 'Best Case', 'Commit', 'Closed'],
  caseTypes: ['Mechanical', 'Electrical', 'Electronic', 'Structural', 'Other'],
  caseStatus: ['New*', 'Working', 'Escalated', 'Closed'],
  caseReasons: ['Installation', 'Equipment Complexity', 'Performance', 'Breakdown', 'Equipment Design', 'Feedback', 'Other'],
  caseOrigins: ['Phone', 'Email', 'Web'],
  casePriorities: ['High', 'Medium*', 'Low'],
  campaignTypes: [
    'Conference',
    'Webinar',
    'Trade Show',
    'Public Relations',
    'Partners',
    'Referral Program',
    'Advertisement',
    'Banner Ads',
    'Direct Mail',
    'Email',
    'Telemarketing',
    'Other',
  ],
  campaignStatus: ['Planned*', 'In Progress', 'Completed', 'Aborted'],
  memberStatus: ['Sent*', 'Responded'],
  accountTypes: ['Prospect', 'Customer - Direct', 'Customer - Channel', 'Channel Partner / Reseller', 'Installation Partner', 'Technology Partner', 'Other'],
  taskStatus: ['Not Started*', 'In Progress', 'Completed', 'Waiting on someone else', 'Deferred'],
  taskPriorities: ['High', 'Normal*', 'Low'],
  shareTypes: ['V', 'C', 'I'],
  visibilities: ['AllUsers', 'InternalUsers', 'SharedUsers'],
  userTypes: ['Standard*', 'PowerPartner', 'CSPLitePortal', 'CustomerSuccess', 'AutomatedProcess'],
}

/** By stage. Any other stage is open, with a probability of 0. */
export const STAGES: { readonly [stage: string]: { readonly probability: number; readonly forecast: string; readonly closed?: true; readonly won?: true } } = {
  Prospecting: { probability: 10, forecast: 'Pipeline' },
  Qualification: { probability: 10, forecast: 'Pipeline' },
  'Needs Analysis': { probability: 20, forecast: 'Pipeline' },
  'Value Proposition': { probability: 50, forecast: 'Pipeline' },
  'Id. Decision Makers': { probability: 60, forecast: 'Pipeline' },
  'Perception Analysis': { probability: 70, forecast: 'Pipeline' },
  'Proposal/Price Quote': { probability: 75, forecast: 'Pipeline' },
  'Negotiation/Review': { probability: 90, forecast: 'Pipeline' },
  'Closed Won': { probability: 100, forecast: 'Closed', closed: true, won: true },
  'Closed Lost': { probability: 0, forecast: 'Omitted', closed: true },
}
