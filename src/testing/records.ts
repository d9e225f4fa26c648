import { findOperation, recordType } from '../contract/operations.ts'
import type { Context } from './behaviour.ts'

/** Members of an input or an answer. */
export type Row = { readonly [member: string]: unknown }

/** Fixed records, so that behaviours read like sentences. */
export const ADA = { FirstName: 'Ada', LastName: 'Lovelace', Phone: '+442079460958' }
export const GRACE = { FirstName: 'Grace', LastName: 'Hopper', Phone: '+12025550143' }
/** Only what is required. */
export const ALAN = { FirstName: 'Alan', LastName: 'Turing' }

/** A phone number that is valid on platforms that validate them. */
export const phone = (n: number) => `+1202555${String(100 + n).padStart(4, '0')}`

/** A unique e-mail address, for platforms where it must be unique. */
export const email = ({ unique }: Pick<Context, 'unique'>) => `${unique('ada').toLowerCase()}@example.com`

export const JAM = { Subject: 'Card jammed', Description: 'The third card of the deck sticks.' }
export const SMOKE = { Subject: 'Smoke', Description: 'It rises from the mill.' }

/** A deal far from its close date, in a stage the platform knows. */
export const engine = ({ values }: Pick<Context, 'values'>) => ({
  OpportunityName: 'Analytical engine',
  Stage: values.openStages[0],
  CloseDate: '2099-12-31',
  Amount: 1200.5,
})

/** Amounts without those that the platform does not take: none at all where it insists on one, and those below zero. */
export function amountsOf({ described, lacks }: Pick<Context, 'described' | 'lacks'>, amounts: readonly (number | null)[]): (number | null)[] {
  const { Required } = described('Opportunity', 'Amount')
  return amounts.filter((amount) => (amount === null ? !Required : amount >= 0 || !lacks('negative amounts')))
}

export const BOAT = {
  HullLength: { Type: 'Number', Label: 'Hull length', Value: 7.5 },
  Harbour: { Type: 'String', Label: 'Home harbour', Value: 'Kiel' },
} as const

/** The definitions of a boat's fields, without values. */
export const DEFINED = { HullLength: { Type: 'Number', Label: 'Hull length' }, Harbour: { Type: 'String', Label: 'Home harbour' } } as const

/** A URL where nothing listens: a public address that is no longer assigned, so that creating a webhook resolves no name. */
export const hook = (name: string) => `https://[3ffe::1]/${name}`

/** An event that hardly ever happens, so that webhooks made for something else stay idle. */
export const RARE = 'case.comment_removed'

/** A Revision that no record has: larger than any counter, smaller than any timestamp. */
export const NO_REVISION = 999_999_999

/** An id of the right look that belongs to nothing any more. */
export async function absentLead({ crm }: Pick<Context, 'crm'>): Promise<string> {
  const { LeadID } = await crm.leads.create(ALAN)
  await crm.leads.delete({ LeadID })
  return LeadID
}

/** All records of all pages. */
export async function allPages<R>(page: (cursor: string | null) => Promise<{ Records: R[]; NextCursor: string | null }>): Promise<R[]> {
  const records: R[] = []
  let cursor: string | null = null
  do {
    const answer: { Records: R[]; NextCursor: string | null } = await page(cursor)
    records.push(...answer.Records)
    cursor = answer.NextCursor
  } while (cursor !== null)
  return records
}

/**
 * What was made one after the other, the newest first. Where ids do not sort by time, records of the same moment come in the order of their ids.
 */
export function newestFirst<R extends { readonly CreatedDate: string }>({ lacks }: Pick<Context, 'lacks'>, made: readonly R[], id: keyof R): R[] {
  if (!lacks('sorted ids')) return made.toReversed()
  const place = (record: R) => `${record.CreatedDate} ${String(record[id])}`
  return made.toSorted((a, b) => (place(a) < place(b) ? 1 : -1))
}

/** Today, and days from today, as UTC counts them. */
export function day(fromToday: number): string {
  return new Date(Date.now() + fromToday * 86_400_000).toISOString().slice(0, 10)
}

/**
 * What a new record has beside what it was given. A platform that fills in fields by itself says in a dry run which; what it only derives is as it was
 * answered.
 */
export async function filledIn(context: Context, operation: string, input: Row, made: Row): Promise<Row> {
  const type = findOperation(operation).record.name
  if (!context.lacks('full fields')) return unset(context, type)
  const { WouldWrite } = (await context.crm.call(operation, input, { dryRun: true })) as { readonly WouldWrite: Row }
  const derived = Object.keys(WouldWrite).filter((name) => context.derives(type, name))
  return { ...unset(context, type), ...WouldWrite, ...Object.fromEntries(derived.map((name) => [name, made[name]])) }
}

/** The fields of a record type that are null in a new record unless they are given. */
const unset = ({ described }: Pick<Context, 'described'>, type: string) =>
  Object.fromEntries(
    Object.entries(recordType(type).fields).flatMap(([name, { kind, required, access, extra }]) =>
      required || access === 'secret' || extra ? [] : [[name, kind === 'boolean' && described(type, name).Operators.length > 0 ? false : null]],
    ),
  )
