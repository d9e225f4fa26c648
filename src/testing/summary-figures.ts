import assert from 'node:assert/strict'
import { behaviour, type Client, type Context, theme } from './behaviour.ts'
import { amountsOf, day, engine, JAM } from './records.ts'

const EVERYTHING = { CreatedDate: { gte: '2000-01-01T00:00:00Z' } }

/** Proves that the maintained counters equal a count of the records. */
async function sameCounted(crm: Client): Promise<void> {
  assert.deepEqual(await crm.opportunities.getSummary({}), await crm.opportunities.getSummary({ Filters: EVERYTHING }))
  assert.deepEqual(await crm.cases.getSummary({}), await crm.cases.getSummary({ Filters: EVERYTHING }))
  assert.deepEqual(await crm.leads.getSummary({}), await crm.leads.getSummary({ Filters: EVERYTHING }))
}

const deal = (context: Context, over: { Stage?: string; CloseDate?: string; Amount?: number | null; Probability?: number | null }) => ({
  ...engine(context),
  ...over,
})

export const summaryFigures = theme('the figures of summaries', [
  behaviour('amounts are summed by stage and owner; the average is over records that have one', async (context) => {
    const { crm, userId } = await context.as()
    const [first, second] = context.values.openStages
    const ofFirst = amountsOf(context, [10, null, 0.5])
    for (const Amount of ofFirst) await crm.opportunities.create(deal(context, { Stage: first, Amount }))
    await crm.opportunities.create(deal(context, { Stage: second, Amount: 0 }))
    const summary = await crm.opportunities.getSummary({})
    const Total = ofFirst.length + 1
    assert.deepEqual(summary.ByStage, [
      { Stage: first, Count: ofFirst.length, Amount: 10.5 },
      { Stage: second, Count: 1, Amount: 0 },
    ])
    assert.deepEqual(summary.ByOwner, [{ UserID: userId, Count: Total, Amount: 10.5 }])
    assert.deepEqual([summary.Total, summary.TotalAmount, summary.AverageAmount], [Total, 10.5, 3.5])
    await sameCounted(crm)
  }),

  behaviour('an average is rounded to four decimals, and is null when no record has an amount', async (context) => {
    const { crm } = await context.as()
    for (const Amount of amountsOf(context, [null])) await crm.opportunities.create(deal(context, { Amount }))
    assert.deepEqual([(await crm.opportunities.getSummary({})).AverageAmount, (await crm.opportunities.getSummary({})).TotalAmount], [null, 0])
    for (const Amount of [5, 5, 0]) await crm.opportunities.create(deal(context, { Amount }))
    assert.equal((await crm.opportunities.getSummary({})).AverageAmount, 3.3333)
    await crm.opportunities.create(deal(context, { Amount: 10 }))
    assert.equal((await crm.opportunities.getSummary({})).AverageAmount, 5)
    await sameCounted(crm)
  }),

  behaviour('open, won and lost deals are counted separately, and the win rate is won over decided', async (context) => {
    const { crm } = await context.as()
    const { openStages, wonStages, lostStages } = context.values
    for (const [Stage, Amount] of [
      [openStages[0], 1],
      [openStages[1], 2],
      [wonStages[0], 4],
      [lostStages[0], 8],
    ] as const)
      await crm.opportunities.create(deal(context, { Stage, Amount }))
    const { Open, Won, Lost, WinRate } = await crm.opportunities.getSummary({})
    assert.deepEqual({ Open, Won, Lost, WinRate }, { Open: { Count: 2, Amount: 3 }, Won: { Count: 1, Amount: 4 }, Lost: { Count: 1, Amount: 8 }, WinRate: 0.5 })
    await sameCounted(crm)
    assert.equal((await crm.opportunities.getSummary({ Filters: { Stage: wonStages[0] } })).WinRate, 1)
    assert.equal((await crm.opportunities.getSummary({ Filters: { Stage: lostStages[0] } })).WinRate, 0)
    assert.equal((await crm.opportunities.getSummary({ Filters: { Stage: openStages[0] } })).WinRate, null)
  }),

  behaviour('overdue is open and past its close date, closing soon is open and within thirty days', async (context) => {
    const { crm } = await context.as()
    const { openStages, wonStages, lostStages } = context.values
    const days: readonly (readonly [fromToday: number, Amount: number | null, Stage: string])[] = [
      [-400, 1, openStages[0]],
      [-1, 2, openStages[1]],
      [-1, 4, wonStages[0]],
      [0, 8, openStages[0]],
      [30, 16, openStages[0]],
      [31, 32, openStages[0]],
      [5, 64, lostStages[0]],
      [5, null, openStages[0]],
    ]
    for (const [fromToday, Amount, Stage] of days.filter(([, amount]) => amountsOf(context, [amount]).length > 0))
      await crm.opportunities.create(deal(context, { Amount, Stage, CloseDate: day(fromToday) }))
    const { Overdue, ClosingSoon } = await crm.opportunities.getSummary({})
    assert.deepEqual({ Overdue, ClosingSoon }, { Overdue: { Count: 2, Amount: 3 }, ClosingSoon: { Count: 2 + amountsOf(context, [null]).length, Amount: 24 } })
    await sameCounted(crm)
  }),

  behaviour('a change of stage, amount or close date moves a deal from one figure to another', async (context) => {
    const { crm } = await context.as()
    const { openStages, wonStages } = context.values
    const { OpportunityID } = await crm.opportunities.create(deal(context, { Amount: 5, CloseDate: day(-3) }))
    const change = async (FieldsToUpdate: { Stage?: string; Amount?: number | null; CloseDate?: string }) => {
      await crm.opportunities.update({ OpportunityID, FieldsToUpdate })
      await sameCounted(crm)
      const { Open, Won, Overdue, ClosingSoon, AverageAmount } = await crm.opportunities.getSummary({})
      return { open: Open.Amount, won: Won.Amount, overdue: Overdue.Amount, soon: ClosingSoon.Amount, average: AverageAmount }
    }
    assert.deepEqual(await change({ Amount: 7 }), { open: 7, won: 0, overdue: 7, soon: 0, average: 7 })
    assert.deepEqual(await change({ CloseDate: day(3) }), { open: 7, won: 0, overdue: 0, soon: 7, average: 7 })
    assert.deepEqual(await change({ Stage: wonStages[0] }), { open: 0, won: 7, overdue: 0, soon: 0, average: 7 })
    const [none = 0] = amountsOf(context, [null])
    assert.deepEqual(await change({ Stage: openStages[1], Amount: none }), { open: 0, won: 0, overdue: 0, soon: 0, average: none })
    await crm.opportunities.delete({ OpportunityID })
    assert.equal((await crm.opportunities.getSummary({})).Total, 0)
    assert.deepEqual((await crm.opportunities.getSummary({})).ByStage, [])
    await sameCounted(crm)
  }),

  behaviour('a change of owner moves a record between the figures of both', async (context) => {
    const boss = await context.as({ role: 'manager' })
    const [first, second] = [await context.as({ manager: boss.userId }), await context.as({ manager: boss.userId })]
    const { OpportunityID } = await first.crm.opportunities.create(deal(context, { Amount: 5 }))
    await boss.crm.opportunities.update({ OpportunityID, FieldsToUpdate: { OwnerID: second.userId } })
    assert.deepEqual([(await first.crm.opportunities.getSummary({})).Total, (await second.crm.opportunities.getSummary({})).TotalAmount], [0, 5])
    assert.deepEqual((await boss.crm.opportunities.getSummary({})).ByOwner, [{ UserID: second.userId, Count: 1, Amount: 5 }])
    for (const { crm } of [boss, first, second]) await sameCounted(crm)
  }),

  behaviour('a forecast has what is open, weighted and won by month of the close date, and nothing that is lost', async (context) => {
    const { crm } = await context.as()
    const { openStages, wonStages, lostStages } = context.values
    const weighs = context.described('Opportunity', 'Probability').Writable
    const [CloseDate, Month] = [day(0), day(0).slice(0, 7)]
    for (const [Stage, Amount] of [
      [openStages[0], 100],
      [wonStages[0], 30],
      [lostStages[0], 8],
    ] as const)
      await crm.opportunities.create(deal(context, { Stage, Amount, CloseDate, ...(weighs && { Probability: Stage === openStages[0] ? 25 : null }) }))
    await crm.opportunities.create(deal(context, { Amount: 7, CloseDate: '2099-12-31' }))
    const { Forecast = [], WinRate } = await crm.opportunities.getSummary({ Forecast: true })
    assert.equal(WinRate, 0.5)
    const found = Forecast.find((one) => one.Month === Month)
    assert.deepEqual(
      [found?.Open, found?.Won],
      [
        { Count: 1, Amount: 100 },
        { Count: 1, Amount: 30 },
      ],
    )
    // A platform may set a probability by itself.
    if (weighs) assert.equal(found?.Weighted, 25)
    else assert.ok(Number(found?.Weighted) <= 100)
    const rest = Forecast.filter((one) => one.Month !== Month)
    assert.deepEqual([rest.length, rest.every(({ Open, Weighted, Won }) => Open.Count + Weighted + Won.Count === 0)], [11, true])
  }),

  behaviour('open cases are counted by their age', async ({ as, values }) => {
    const boss = await as({ role: 'manager' })
    const member = await as({ manager: boss.userId })
    const { CaseID } = await boss.crm.cases.create(JAM)
    await member.crm.cases.create(JAM)
    const counts = async ({ crm }: typeof boss, Filters = {}) =>
      (await crm.cases.getSummary({ Ages: true, Filters })).OpenByAge?.map(({ From, To, Count }) => [From === null, To === null, Count])
    const ages = (young: number) => [[false, true, young], ...[7, 30, 90].map(() => [false, false, 0]), [true, false, 0]]
    assert.deepEqual([await counts(boss), await counts(member)], [ages(2), ages(1)])
    await boss.crm.cases.update({ CaseID, FieldsToUpdate: { Status: values.closedStatuses[0] } })
    assert.deepEqual([await counts(boss), await counts(boss, { Subject: 'none of them' })], [ages(1), ages(0)])
    assert.equal((await boss.crm.cases.getSummary({})).OpenByAge, undefined)
  }),

  behaviour('cases are open or closed by their status, and the oldest open one is named', async ({ as, described, values }) => {
    const { crm } = await as()
    const [first, second, third] = [
      await crm.cases.create({ ...JAM, Status: values.openStatuses[0] }),
      await crm.cases.create({ ...JAM, Status: values.openStatuses[1] }),
      await crm.cases.create(JAM),
    ]
    const state = async () => {
      const { Open, Closed, OldestOpen } = await crm.cases.getSummary({})
      await sameCounted(crm)
      return [Open.Count, Closed.Count, OldestOpen?.CaseID ?? null]
    }
    assert.deepEqual((await crm.cases.getSummary({})).OldestOpen, { CaseID: first.CaseID, CreatedDate: first.CreatedDate })
    assert.deepEqual(await state(), [3, 0, first.CaseID])
    await crm.cases.update({ CaseID: first.CaseID, FieldsToUpdate: { Status: values.closedStatuses[0] } })
    assert.deepEqual(await state(), [2, 1, second.CaseID])
    if (!described('Case', 'Status').Required) await crm.cases.update({ CaseID: second.CaseID, FieldsToUpdate: { Status: null } })
    assert.deepEqual(await state(), [2, 1, second.CaseID])
    await crm.cases.delete({ CaseID: second.CaseID })
    assert.deepEqual(await state(), [1, 1, third.CaseID])
    await crm.cases.update({ CaseID: third.CaseID, FieldsToUpdate: { Status: values.closedStatuses[0] } })
    assert.deepEqual(await state(), [0, 2, null])
    assert.equal((await crm.cases.getSummary({ Filters: { Status: { ne: values.closedStatuses[0] } } })).OldestOpen, null)
  }),

  behaviour('the figures stay right when many write at once', async (context) => {
    const { crm } = await context.as()
    const made = await Promise.all(Array.from({ length: 20 }, (_, at) => crm.opportunities.create(deal(context, { Amount: at }))))
    await Promise.all(
      made.map(({ OpportunityID }, at) =>
        at % 2 === 0
          ? crm.opportunities.delete({ OpportunityID })
          : crm.opportunities.update({ OpportunityID, FieldsToUpdate: { Amount: 1, Stage: context.values.wonStages[0] } }),
      ),
    )
    const { Total, TotalAmount, Won } = await crm.opportunities.getSummary({})
    assert.deepEqual([Total, TotalAmount, Won], [10, 10, { Count: 10, Amount: 10 }])
    await sameCounted(crm)
  }),
])
