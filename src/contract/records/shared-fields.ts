import { field } from '../fields.ts'

/** A postal address. */
export const ADDRESS = {
  Street: field.text({ label: 'Street' }),
  City: field.text({ label: 'City' }),
  State: field.text({ label: 'State' }),
  PostalCode: field.text({ label: 'Postal code' }),
  Country: field.text({ label: 'Country' }),
}

/** What is known of a company, by itself or by one of its people. */
export const BUSINESS = {
  Industry: field.choice({ label: 'Industry', suggested: ['Finance', 'Healthcare', 'Manufacturing', 'Retail', 'Technology'] }),
  AnnualRevenue: field.money({ label: 'Annual revenue' }),
  Employees: field.integer({ label: 'Employees', minimum: 0, maximum: 1_000_000_000 }),
}

export const LEAD_SOURCE = { LeadSource: field.choice({ label: 'Lead source', suggested: ['Web', 'Phone', 'Event', 'Referral', 'Partner'] }) }

export const DESCRIPTION = { Description: field.longText({ label: 'Description' }) }

/** Unique, so that records of another system can be found and upserted by its own ids. */
export const EXTERNAL_ID = {
  ExternalID: field.text({ label: 'External id', description: 'Its id in another system; no two records of the type have the same.', unique: true }),
}
