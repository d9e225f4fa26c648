import { plainLetters } from './people.ts'
import type { Random } from './random.ts'

const FIRST = 'North Blue Silver Harbour Cedar Summit River Iron Bright Maple Falcon Copper Granite Willow Meridian Solstice Aurora Juniper Atlas Beacon'.split(
  ' ',
)
const SECOND = 'Logistics Foods Energy Robotics Textiles Analytics Pharma Optics Marine Print Mobility Ceramics Brewing Software Health Timber Studios'.split(
  ' ',
)
const FORMS = ['Ltd', 'GmbH', 'Inc.', 'SA', 'AB', 'Pty', 'S.p.A.', '& Co.', 'Group', '']

export interface Company {
  readonly name: string
  /** Under .example, a reserved top-level domain. */
  readonly domain: string
}

export function companyFrom(random: Random): Company {
  const [first, second, form] = [random.pick(FIRST), random.pick(SECOND), random.pick(FORMS)]
  return { name: `${first} ${second}${form && ` ${form}`}`, domain: `${plainLetters(first + second)}.example` }
}

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
const CASES = [
  ['Cannot sign in after the update', 'Since the update of this morning the login page comes back without a message.'],
  ['Invoice shows the wrong address', 'The last two invoices of {company} still have the old address.'],
  ['Delivery is a week late', 'The {product} was promised for {day} and has not arrived.'],
  ['Export stops halfway', 'The export ends after about a third of the rows, always at the same place.'],
  ['How do we add a second location?', '{company} opens another office and wants it on the same contract.'],
  ['Part arrived damaged', 'The housing is cracked; photos are attached to the e-mail.'],
  ['Slow since Monday', 'Every page takes several seconds, for all of our people.'],
  ['Please cancel one seat', 'One colleague has left, so that we need one seat less from next month.'],
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
export const answer = (random: Random, company: Company) => filled(random.pick(ANSWERS), random, company)

export function complaint(random: Random, company: Company): { readonly Subject: string; readonly Description: string } {
  const [subject, description] = random.pick(CASES)
  return { Subject: subject, Description: filled(description, random, company) }
}
