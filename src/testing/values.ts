import type { Crm } from '../contract/client/client.ts'

/** A field in the answer of describe. */
export type Described = Awaited<ReturnType<Crm['describe']>>['RecordTypes'][number]['Fields'][number]

interface DescribedType {
  readonly Name: string
  readonly Fields: readonly Described[]
}

type AtLeast<N extends 1 | 2> = N extends 1 ? readonly [string, ...string[]] : readonly [string, string, ...string[]]

/** Words for statuses and stages that the platform accepts. */
export interface Values {
  readonly leadStatuses: AtLeast<2>
  readonly openStages: AtLeast<2>
  readonly wonStages: AtLeast<1>
  readonly lostStages: AtLeast<1>
  readonly openStatuses: AtLeast<2>
  readonly closedStatuses: AtLeast<1>
  readonly campaignStatuses: AtLeast<2>
}

const USUAL: Values = {
  leadStatuses: ['Open', 'Contacted'],
  openStages: ['Prospecting', 'Negotiation'],
  wonStages: ['Closed Won'],
  lostStages: ['Closed Lost'],
  openStatuses: ['New', 'In Progress'],
  closedStatuses: ['Closed'],
  campaignStatuses: ['Planned', 'Active'],
}

const FIELDS: { readonly [K in keyof Values]: readonly [type: string, field: string] } = {
  leadStatuses: ['Lead', 'Status'],
  openStages: ['Opportunity', 'Stage'],
  wonStages: ['Opportunity', 'Stage'],
  lostStages: ['Opportunity', 'Stage'],
  openStatuses: ['Case', 'Status'],
  closedStatuses: ['Case', 'Status'],
  campaignStatuses: ['Campaign', 'Status'],
}

/** The usual words, held against what the platform says it accepts. */
export function readValues(types: readonly DescribedType[], given: Partial<Values> = {}): Values {
  const values = { ...USUAL, ...given }
  for (const [key, [type, field]] of Object.entries(FIELDS) as [keyof Values, readonly [string, string]][]) {
    const described = types.find(({ Name }) => Name === type)?.Fields.find(({ Name }) => Name === field)
    const foreign = described?.AllowedValues && values[key].filter((value) => !described.AllowedValues?.includes(value))
    if (foreign && foreign.length > 0) {
      throw new Error(
        `${type}.${field} does not take ${foreign.join(', ')}. Say in the connection's values.${key} which of ${described.AllowedValues?.join(', ')} to use.`,
      )
    }
  }
  return values
}
