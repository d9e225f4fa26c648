import { type Country, phoneIn, plainLetters } from './people.ts'
import type { Random } from './random.ts'

const FIRST = 'North Blue Silver Harbour Cedar Summit River Iron Bright Maple Falcon Copper Granite Willow Meridian Solstice Aurora Juniper Atlas Beacon'.split(
  ' ',
)

/** The second word of a name, with the industry that it is of. */
const SECOND: readonly (readonly [word: string, industry: string])[] = [
  ['Logistics', 'Transportation'],
  ['Foods', 'Food and Beverage'],
  ['Energy', 'Energy'],
  ['Robotics', 'Manufacturing'],
  ['Textiles', 'Manufacturing'],
  ['Analytics', 'Technology'],
  ['Pharma', 'Healthcare'],
  ['Optics', 'Manufacturing'],
  ['Marine', 'Transportation'],
  ['Print', 'Media'],
  ['Mobility', 'Transportation'],
  ['Ceramics', 'Manufacturing'],
  ['Brewing', 'Food and Beverage'],
  ['Software', 'Technology'],
  ['Health', 'Healthcare'],
  ['Timber', 'Retail'],
  ['Studios', 'Media'],
  ['Capital', 'Finance'],
]
const FORMS = ['Ltd', 'GmbH', 'Inc.', 'SA', 'AB', 'Pty', 'S.p.A.', '& Co.', 'Group', '']

interface Land {
  readonly name: string
  readonly streets: readonly string[]
  /** Whether the number of a house stands after its street. */
  readonly numberLast: boolean
  readonly cities: readonly (readonly [city: string, postalCode: string, state?: string])[]
}

const LANDS: { readonly [country in Country]: Land } = {
  us: {
    name: 'United States',
    streets: ['Market Street', 'Elm Avenue', 'Harbor Boulevard', 'Mill Road'],
    numberLast: false,
    cities: [
      ['Boston', '02110', 'MA'],
      ['Chicago', '60601', 'IL'],
      ['San Francisco', '94105', 'CA'],
      ['New York', '10005', 'NY'],
    ],
  },
  uk: {
    name: 'United Kingdom',
    streets: ['King’s Road', 'Mill Lane', 'Station Road', 'Quayside'],
    numberLast: false,
    cities: [
      ['London', 'EC1A 1BB'],
      ['Leeds', 'LS1 4AP'],
      ['Bristol', 'BS1 5TR'],
      ['Edinburgh', 'EH1 1YZ'],
    ],
  },
  de: {
    name: 'Germany',
    streets: ['Hafenstraße', 'Lindenallee', 'Gartenweg', 'Am Markt'],
    numberLast: true,
    cities: [
      ['Berlin', '10115'],
      ['Hamburg', '20095'],
      ['München', '80331'],
      ['Köln', '50667'],
    ],
  },
  fr: {
    name: 'France',
    streets: ['rue des Lilas', 'quai du Port', 'avenue Pasteur'],
    numberLast: false,
    cities: [
      ['Paris', '75002'],
      ['Lyon', '69002'],
      ['Nantes', '44000'],
    ],
  },
  se: {
    name: 'Sweden',
    streets: ['Storgatan', 'Hamngatan', 'Skolvägen'],
    numberLast: true,
    cities: [
      ['Stockholm', '111 20'],
      ['Göteborg', '411 03'],
      ['Malmö', '211 20'],
    ],
  },
  au: {
    name: 'Australia',
    streets: ['George Street', 'Wharf Road', 'Queen Street'],
    numberLast: false,
    cities: [
      ['Sydney', '2000', 'NSW'],
      ['Melbourne', '3000', 'VIC'],
      ['Perth', '6000', 'WA'],
    ],
  },
}

const COUNTRIES = Object.keys(LANDS) as readonly Country[]

export interface Company {
  readonly name: string
  /** Under .example, a reserved top-level domain. */
  readonly domain: string
  readonly phone: string
  /** What a lead of the company and its own record have in common. */
  readonly business: { readonly Industry: string; readonly Employees: number; readonly AnnualRevenue: number; readonly Website: string }
  readonly address: { readonly [field: string]: string }
}

export function companyFrom(random: Random): Company {
  const [first, [second, Industry], form] = [random.pick(FIRST), random.pick(SECOND), random.pick(FORMS)]
  const domain = `${plainLetters(first + second)}.example`
  const country = random.pick(COUNTRIES)
  const Employees = Math.ceil(60 * random.logNormal(1.2))
  return {
    name: `${first} ${second}${form && ` ${form}`}`,
    domain,
    phone: phoneIn(country, random),
    business: { Industry, Employees, AnnualRevenue: Employees * random.whole(60, 240) * 1000, Website: `https://${domain}` },
    address: addressFrom(LANDS[country], random),
  }
}

function addressFrom({ name, streets, numberLast, cities }: Land, random: Random) {
  const [City, PostalCode, State] = random.pick(cities)
  const [street, number] = [random.pick(streets), random.whole(1, 180)]
  return { Street: numberLast ? `${street} ${number}` : `${number} ${street}`, City, ...(State !== undefined && { State }), PostalCode, Country: name }
}
