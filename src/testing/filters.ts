import assert from 'node:assert/strict'
import type { Crm } from '../contract/client/client.ts'
import { behaviour, type Context, theme } from './behaviour.ts'
import { ADA, amountsOf, engine, phone } from './records.ts'

type LeadFilters = NonNullable<NonNullable<Parameters<Crm['leads']['getMany']>[0]>['Filters']>
type DealFilters = NonNullable<NonNullable<Parameters<Crm['opportunities']['getMany']>[0]>['Filters']>

/** The first names of a new member's leads that match, sorted. */
async function leadsOf({ as }: Context, drafts: readonly { FirstName: string; Phone?: string | null }[]) {
  const { crm, userId } = await as()
  for (const draft of drafts) await crm.leads.create({ LastName: 'Turing', ...draft })
  const found = async (Filters: LeadFilters) => (await crm.leads.getMany({ Filters })).Records.map(({ FirstName }) => FirstName).sort()
  return { crm, userId, found }
}

/** The names of a new member's opportunities that match, sorted. */
async function dealsOf(context: Context, drafts: readonly { OpportunityName: string; Amount?: number | null; CloseDate?: string }[]) {
  const { crm } = await context.as()
  const { Stage, CloseDate } = engine(context)
  for (const draft of drafts) await crm.opportunities.create({ Stage, CloseDate, ...draft })
  return async (Filters: DealFilters) => (await crm.opportunities.getMany({ Filters })).Records.map(({ OpportunityName }) => OpportunityName).sort()
}

const PHONES = [{ FirstName: 'one', Phone: phone(1) }, { FirstName: 'two', Phone: phone(2) }, { FirstName: 'none' }]
/** Deals with amounts that the platform takes, and the names of those among some that there are. */
function amounts(context: Context) {
  const names: { readonly [name: string]: number | null } = { none: null, minus: -1, zero: 0, ten: 10 }
  const taken = amountsOf(context, Object.values(names))
  const deals = Object.entries(names).flatMap(([OpportunityName, Amount]) => (taken.includes(Amount) ? [{ OpportunityName, Amount }] : []))
  const there = (...wanted: string[]) => wanted.filter((name) => deals.some(({ OpportunityName }) => OpportunityName === name))
  return { deals, there }
}
const DATES = [
  { OpportunityName: 'first', CloseDate: '2026-01-31' },
  { OpportunityName: 'second', CloseDate: '2026-02-01' },
  { OpportunityName: 'third', CloseDate: '2027-01-01' },
]

/** What some platforms call the status of a new lead, which is shown as Open. */
const PLATFORM_WORDS = ['Open', 'New', 'NEW', 'new', 'Open - Not Contacted', 'OPEN', 'Assigned', 'IN_PROGRESS']

export const filters = theme('filters', [
  behaviour('text: a plain value and eq are exact and case-sensitive', async (context) => {
    const { found } = await leadsOf(context, [{ FirstName: 'x1' }, { FirstName: 'X2' }])
    assert.deepEqual(await found({ FirstName: 'x1' }), ['x1'])
    assert.deepEqual(await found({ FirstName: { eq: 'X2' } }), ['X2'])
    assert.deepEqual(await found({ FirstName: 'x2' }), [])
    assert.deepEqual(await found({ FirstName: 'x' }), [])
    assert.deepEqual(await found({ FirstName: 'x1 ' }), [])
  }),

  behaviour('null finds records without a value, and ne null those with one', async (context) => {
    const { found } = await leadsOf(context, PHONES)
    assert.deepEqual(await found({ Phone: null }), ['none'])
    assert.deepEqual(await found({ Phone: { eq: null } }), ['none'])
    assert.deepEqual(await found({ Phone: { ne: null } }), ['one', 'two'])
  }),

  behaviour('ne finds records without a value too', async (context) => {
    const { found } = await leadsOf(context, PHONES)
    assert.deepEqual(await found({ Phone: { ne: phone(1) } }), ['none', 'two'])
    const { deals: drafts, there } = amounts(context)
    const deals = await dealsOf(context, drafts)
    assert.deepEqual(await deals({ Amount: { ne: 10 } }), there('minus', 'none', 'zero'))
  }),

  behaviour('in finds any of a list, null among them, and an empty list finds nothing', async (context) => {
    const { found } = await leadsOf(context, PHONES)
    assert.deepEqual(await found({ Phone: { in: [phone(1), phone(2), phone(3)] } }), ['one', 'two'])
    assert.deepEqual(await found({ Phone: { in: [phone(1), null] } }), ['none', 'one'])
    assert.deepEqual(await found({ Phone: { in: [null] } }), ['none'])
    assert.deepEqual(await found({ Phone: { in: [] } }), [])
    assert.deepEqual(await found({ Phone: { in: Array.from({ length: 1000 }, (_, at) => (at === 7 ? phone(1) : `x${at}`)) } }), ['one'])
    const { deals: drafts, there } = amounts(context)
    const deals = await dealsOf(context, drafts)
    assert.deepEqual(await deals({ Amount: { in: [0, 10, null] } }), there('none', 'ten', 'zero'))
    assert.deepEqual(await deals({ CloseDate: { in: ['2099-12-31'] } }), there('minus', 'none', 'ten', 'zero'))
  }),

  behaviour('contains and startsWith ignore the case of A to Z and of no other letter', async (context) => {
    const { found } = await leadsOf(context, [
      { FirstName: 'Éclair' },
      { FirstName: 'éclair' },
      { FirstName: 'ECLAIR' },
      { FirstName: 'eclair' },
      { FirstName: '\u212alein' },
    ])
    assert.deepEqual(await found({ FirstName: { contains: 'CLAI' } }), ['ECLAIR', 'eclair', 'Éclair', 'éclair'])
    assert.deepEqual(await found({ FirstName: { contains: 'É' } }), ['Éclair'])
    assert.deepEqual(await found({ FirstName: { startsWith: 'éCL' } }), ['éclair'])
    assert.deepEqual(await found({ FirstName: { startsWith: 'Ec' } }), ['ECLAIR', 'eclair'])
    assert.deepEqual(await found({ FirstName: { contains: 'k' } }), [])
    assert.deepEqual(await found({ FirstName: { startsWith: 'clair' } }), [])
    assert.deepEqual(await found({ FirstName: { contains: 'lair ' } }), [])
  }),

  behaviour('contains and startsWith take every character for itself', async (context) => {
    const texts = ['100%', '100 percent', 'a_b', 'aXb', 'back\\slash', 'a*b', "O'Brien", '[ab]', 'a"b']
    const { found } = await leadsOf(
      context,
      texts.map((FirstName) => ({ FirstName })),
    )
    for (const text of texts) assert.deepEqual(await found({ FirstName: { startsWith: text } }), [text])
    assert.deepEqual(await found({ FirstName: { contains: '%' } }), ['100%'])
    assert.deepEqual(await found({ FirstName: { contains: '_' } }), ['a_b'])
    assert.deepEqual(await found({ FirstName: { contains: '\\' } }), ['back\\slash'])
    assert.deepEqual(await found({ FirstName: { contains: "'" } }), ["O'Brien"])
    assert.deepEqual(await found({ FirstName: { contains: '*' } }), ['a*b'])
  }),

  behaviour('contains and startsWith do not find records without a value', async (context) => {
    const { found } = await leadsOf(context, PHONES)
    assert.deepEqual(await found({ Phone: { contains: phone(1).slice(1, -1) } }), ['one', 'two'])
    assert.deepEqual(await found({ Phone: { startsWith: phone(1).slice(0, -1) } }), ['one', 'two'])
    assert.deepEqual(await found({ Phone: { contains: 'null' } }), [])
  }),

  behaviour('numbers compare as numbers, and no comparison finds records without a value', async (context) => {
    const { deals, there } = amounts(context)
    const found = await dealsOf(context, deals)
    assert.deepEqual(await found({ Amount: 10 }), ['ten'])
    assert.deepEqual(await found({ Amount: 0 }), ['zero'])
    assert.deepEqual(await found({ Amount: { eq: -1 } }), there('minus'))
    assert.deepEqual(await found({ Amount: { gt: 0 } }), ['ten'])
    assert.deepEqual(await found({ Amount: { gte: 0 } }), ['ten', 'zero'])
    assert.deepEqual(await found({ Amount: { lt: 0 } }), there('minus'))
    assert.deepEqual(await found({ Amount: { lte: 0 } }), there('minus', 'zero'))
    assert.deepEqual(await found({ Amount: { lt: 9 } }), there('minus', 'zero'))
    assert.deepEqual(await found({ Amount: null }), there('none'))
  }),

  behaviour('dates compare by the calendar', async (context) => {
    const found = await dealsOf(context, DATES)
    assert.deepEqual(await found({ CloseDate: '2026-02-01' }), ['second'])
    assert.deepEqual(await found({ CloseDate: { ne: '2026-02-01' } }), ['first', 'third'])
    assert.deepEqual(await found({ CloseDate: { gt: '2026-01-31' } }), ['second', 'third'])
    assert.deepEqual(await found({ CloseDate: { gte: '2026-02-01' } }), ['second', 'third'])
    assert.deepEqual(await found({ CloseDate: { lt: '2026-02-01' } }), ['first'])
    assert.deepEqual(await found({ CloseDate: { lte: '2026-02-01' } }), ['first', 'second'])
    assert.deepEqual(await found({ CloseDate: null }), [])
  }),

  behaviour('several operators in one object all hold', async (context) => {
    const found = await dealsOf(context, [...amounts(context).deals, ...DATES.map((deal) => ({ ...deal, Amount: 10 }))])
    assert.deepEqual(await found({ Amount: { gte: 0, lt: 10 } }), ['zero'])
    assert.deepEqual(await found({ CloseDate: { gt: '2026-01-31', lte: '2027-01-01', ne: '2026-02-01' } }), ['third'])
    assert.deepEqual(await found({ OpportunityName: { contains: 'T', ne: 'ten', startsWith: 'f' } }), ['first'])
    assert.deepEqual(await found({ Amount: { gt: 10, lt: 10 } }), [])
  }),

  behaviour('members are ANDed', async (context) => {
    const { found, userId } = await leadsOf(context, PHONES)
    assert.deepEqual(await found({ FirstName: 'one', Phone: phone(1) }), ['one'])
    assert.deepEqual(await found({ FirstName: 'one', Phone: phone(2) }), [])
    assert.deepEqual(await found({ LastName: 'Turing', Phone: null, OwnerID: userId }), ['none'])
  }),

  behaviour('no filters and empty filters limit nothing', async (context) => {
    const { crm, found } = await leadsOf(context, PHONES)
    assert.deepEqual(await found({}), ['none', 'one', 'two'])
    assert.equal((await crm.leads.getMany({})).Records.length, 3)
    assert.equal(((await crm.call('get_many_leads')) as { Records: unknown[] }).Records.length, 3)
  }),

  behaviour('ids, owners, states and revisions are filtered like other fields', async (context) => {
    const { crm, found, userId } = await leadsOf(context, PHONES)
    const { LeadID, Revision } = await crm.leads.create(ADA)
    await crm.leads.update({ LeadID, FieldsToUpdate: { Status: context.values.leadStatuses[1] } })
    assert.deepEqual(await found({ LeadID }), ['Ada'])
    assert.deepEqual(await found({ OwnerID: userId }), ['Ada', 'none', 'one', 'two'])
    assert.deepEqual(await found({ OwnerID: { ne: userId } }), [])
    assert.deepEqual(await found({ Status: context.values.leadStatuses[1] }), ['Ada'])
    assert.deepEqual(await found({ Status: { in: [context.values.leadStatuses[0]] } }), ['none', 'one', 'two'])
    // Revisions of different records cannot be compared.
    assert.deepEqual(await found({ LeadID, Revision: { gt: Revision } }), ['Ada'])
    assert.deepEqual(await found({ LeadID, Revision: { lte: Revision } }), [])
  }),

  behaviour('a word is compared as it is shown, whatever the platform calls it', async (context) => {
    const { crm } = await context.as()
    const shown = context.described('Lead', 'Status').AllowedValues ?? context.values.leadStatuses
    for (const Status of shown) {
      const { LeadID } = await crm.leads.create({ ...ADA, FirstName: Status })
      await crm.leads.update({ LeadID, FieldsToUpdate: { Status } })
    }
    const found = async (Status: NonNullable<LeadFilters>['Status']) =>
      (await crm.leads.getMany({ Filters: { Status } })).Records.map(({ FirstName }) => FirstName).sort()
    const spelled = shown.flatMap((word) => [word, word.toLowerCase(), word.toUpperCase()])
    for (const word of new Set([...spelled, ...PLATFORM_WORDS])) {
      const [same, others] = [shown.filter((one) => one === word), shown.filter((one) => one !== word).sort()]
      assert.deepEqual([await found(word), await found({ in: [word] }), await found({ ne: word })], [same, same, others], word)
    }
  }),

  behaviour('timestamps are read with Z, +02:00 and +0000, to the millisecond', async ({ as }) => {
    const { crm } = await as()
    const { CreatedDate } = await crm.leads.create(ADA)
    const at = Date.parse(CreatedDate)
    const zoned = (ms: number, hours: number, zone: string) => new Date(ms + hours * 3_600_000).toISOString().replace('Z', zone)
    const count = async (Filters: LeadFilters) => (await crm.leads.getMany({ Filters })).Records.length
    for (const same of [
      CreatedDate,
      zoned(at, 2, '+02:00'),
      zoned(at, 0, '+0000'),
      zoned(at, -5.5, '-05:30'),
      zoned(at, 14, '+1400'),
      zoned(at, 0, '-00:00'),
    ]) {
      assert.equal(await count({ CreatedDate: same }), 1, same)
      assert.equal(await count({ CreatedDate: { gte: same, lte: same, in: [same] } }), 1, same)
      assert.equal(await count({ CreatedDate: { gt: same } }), 0, same)
      assert.equal(await count({ CreatedDate: { lt: same } }), 0, same)
      assert.equal(await count({ CreatedDate: { ne: same } }), 0, same)
    }
    assert.equal(await count({ CreatedDate: { gt: zoned(at - 1, 2, '+02:00'), lt: zoned(at + 1, 0, '+0000') } }), 1)
    assert.equal(await count({ CreatedDate: { gte: '2020-01-01T00:00:00Z' }, UpdatedDate: { lt: '2999-12-31T23:59:59+00:00' } }), 1)
    assert.equal(await count({ CreatedDate: { gte: zoned(at + 1, 0, 'Z') } }), 0)
  }),

  behaviour('a time written finer than a millisecond lies between two milliseconds', async ({ as }) => {
    const { crm } = await as()
    const { CreatedDate } = await crm.leads.create(ADA)
    const justAfter = CreatedDate.replace('Z', '500Z')
    const count = async (condition: NonNullable<LeadFilters['CreatedDate']>) =>
      (await crm.leads.getMany({ Filters: { CreatedDate: condition } })).Records.length
    assert.deepEqual(
      [await count({ lt: justAfter }), await count({ lte: justAfter }), await count({ gt: justAfter }), await count({ gte: justAfter })],
      [1, 1, 0, 0],
    )
    assert.deepEqual([await count(justAfter), await count({ ne: justAfter }), await count(CreatedDate.replace('Z', '000Z'))], [0, 1, 1])
  }),
])
