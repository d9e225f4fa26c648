import type { Company } from './companies.ts'
import type { Random } from './random.ts'

export const PRODUCTS = [
  'annual licence',
  'starter package',
  'support plan',
  'onboarding',
  'data migration',
  'fleet upgrade',
  'pilot project',
  'training days',
  'spare parts',
  'renewal',
]

export const TITLES = [
  'Managing Director',
  'Head of Purchasing',
  'Operations Manager',
  'Office Manager',
  'IT Lead',
  'Plant Manager',
  'Finance Director',
  'Project Engineer',
  'Marketing Manager',
]

export const LEAD_SOURCES = ['Web', 'Web', 'Phone', 'Event', 'Referral', 'Partner']

export const NEXT_STEPS = ['Call back', 'Send the offer', 'Demo with the team', 'Meet the purchasing department', 'Ask for the decision', 'Review the contract']

export const CAMPAIGNS = ['Newsletter', 'Trade fair', 'Webinar: first steps', 'Referral week', 'Open house', 'Product launch', 'Customer day', 'Win-back calls']

const LEAD_NOTES = [
  'Asked for a quote on the {product} by {day}.',
  'Met at the fair; wants to see a demo of the {product}.',
  'Left a voicemail, will try again on {day}.',
  'Budget is decided in the next quarter. Call back then.',
  'Speaks for the whole team at {company}; prefers e-mail.',
  'Compares us with two others. Price matters less than a quick start.',
]
const DEAL_NOTES = [
  'The board of {company} decides on {day}.',
  'Sent the revised offer for the {product}; 5 % off for two years.',
  'Legal has the contract. They want payment within 45 days.',
  'Their engineer liked the demo and asked about the {product}.',
  'Waiting for the purchase order.',
]
const COMPANY_NOTES = [
  '{company} orders in spring and in autumn; write to them before.',
  'Invoices go to the head office, deliveries to the second gate.',
  'They moved to a new building. The old address is no longer valid.',
  'Interested in the {product}, once the present contract ends.',
]
const CASES = [
  ['Cannot sign in after the update', 'Since the update of this morning the login page comes back without a message.', 'Problem', 'Login'],
  ['Invoice shows the wrong address', 'The last two invoices of {company} still have the old address.', 'Problem', 'Billing'],
  ['Delivery is a week late', 'The {product} was promised for {day} and has not arrived.', 'Problem', 'Delivery'],
  ['Export stops halfway', 'The export ends after about a third of the rows, always at the same place.', 'Problem', 'Software'],
  ['How do we add a second location?', '{company} opens another office and wants it on the same contract.', 'Question', 'Contract'],
  ['Part arrived damaged', 'The housing is cracked; photos are attached to the e-mail.', 'Problem', 'Delivery'],
  ['Slow since Monday', 'Every page takes several seconds, for all of our people.', 'Problem', 'Software'],
  ['Please cancel one seat', 'One colleague has left, so that we need one seat less from next month.', 'Question', 'Contract'],
] as const
const ANSWERS = [
  'Thank you for telling us. We are looking into it.',
  'A replacement is on its way and should be there by {day}.',
  'This is mended in the version of today; please try again.',
  'We have corrected it and sent a new invoice.',
  'Could you tell us since when this happens, and to whom?',
]
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']

function filled(text: string, random: Random, company: Company): string {
  const words: { readonly [name: string]: string } = { product: random.pick(PRODUCTS), day: random.pick(DAYS), company: company.name }
  return text.replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? '')
}

export const leadNote = (random: Random, company: Company) => filled(random.pick(LEAD_NOTES), random, company)
export const dealNote = (random: Random, company: Company) => filled(random.pick(DEAL_NOTES), random, company)
export const companyNote = (random: Random, company: Company) => filled(random.pick(COMPANY_NOTES), random, company)
export const answer = (random: Random, company: Company) => filled(random.pick(ANSWERS), random, company)

export function complaint(random: Random, company: Company) {
  const [Subject, description, Type, Reason] = random.pick(CASES)
  return { Subject, Description: filled(description, random, company), Type, Reason }
}
