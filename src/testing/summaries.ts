import assert from 'node:assert/strict'
import { behaviour, type Client, type Context, theme } from './behaviour.ts'
import { ADA, ALAN, absentLead, amountsOf, engine, GRACE, JAM } from './records.ts'

const EVERYTHING = { CreatedDate: { gte: '2000-01-01T00:00:00Z' } }

/** Three levels of people, each with one lead, one opportunity and one case of their own. */
async function team(context: Context) {
  const boss = await context.as({ role: 'manager' })
  const deputy = await context.as({ role: 'manager', manager: boss.userId })
  const member = await context.as({ manager: deputy.userId })
  const stranger = await context.as()
  for (const { crm } of [boss, deputy, member, stranger]) {
    await crm.leads.create(ADA)
    await crm.opportunities.create({ ...engine(context), Amount: 10 })
    await crm.cases.create(JAM)
  }
  return { boss, deputy, member, stranger }
}

const SUMMARIES: { readonly [type: string]: (crm: Client, UserID?: string) => Promise<{ Total: number; ByOwner: { UserID: string; Count: number }[] }> } = {
  leads: (crm, UserID) => crm.leads.getSummary({ ...(UserID && { UserID }) }),
  opportunities: (crm, UserID) => crm.opportunities.getSummary({ ...(UserID && { UserID }) }),
  cases: (crm, UserID) => crm.cases.getSummary({ ...(UserID && { UserID }) }),
}

export const summaries = theme('summaries', [
  behaviour('a summary over nothing has zeros, empty lists and nulls', async ({ as }) => {
    const { crm } = await as()
    const nothing = { ByOwner: [], ByMonth: [], FirstCreated: null, LastCreated: null, Recent: [], Total: 0 }
    const none = { Count: 0, Amount: 0 }
    assert.deepEqual({ ...(await crm.leads.getSummary({})) }, { ...nothing, ByStatus: [] })
    assert.deepEqual({ ...(await crm.cases.getSummary({})) }, { ...nothing, ByStatus: [], Open: { Count: 0 }, Closed: { Count: 0 }, OldestOpen: null })
    const empty = {
      ...nothing,
      ByStage: [],
      TotalAmount: 0,
      AverageAmount: null,
      Open: none,
      Won: none,
      Lost: none,
      WinRate: null,
      Overdue: none,
      ClosingSoon: none,
    }
    assert.deepEqual({ ...(await crm.opportunities.getSummary({})) }, empty)
    assert.deepEqual({ ...(await crm.opportunities.getSummary({ Filters: EVERYTHING })) }, empty)
    assert.deepEqual(await crm.cases.getSummary({ Filters: EVERYTHING }), await crm.cases.getSummary({}))
  }),

  behaviour('a summary of leads counts by status, owner and month and shows the newest', async ({ as, values }) => {
    const { crm, userId } = await as()
    const [first, second, third] = [await crm.leads.create(ADA), await crm.leads.create(GRACE), await crm.leads.create(ALAN)]
    const { UpdatedFields: _, ...contacted } = await crm.leads.update({ LeadID: second.LeadID, FieldsToUpdate: { Status: values.leadStatuses[1] } })
    const summary = await crm.leads.getSummary({})
    assert.deepEqual(
      { ...summary },
      {
        Total: 3,
        ByStatus: [
          { Status: values.leadStatuses[0], Count: 2 },
          { Status: values.leadStatuses[1], Count: 1 },
        ],
        ByOwner: [{ UserID: userId, Count: 3 }],
        ByMonth: [{ Month: first.CreatedDate.slice(0, 7), Count: 3 }],
        FirstCreated: first.CreatedDate,
        LastCreated: third.CreatedDate,
        Recent: [third, contacted, first],
      },
    )
  }),

  behaviour('the five newest records are shown', async ({ as }) => {
    const { crm } = await as()
    for (let at = 0; at < 7; at++) await crm.leads.create({ FirstName: `Lead ${at}`, LastName: 'Turing' })
    const { Recent, Total } = await crm.leads.getSummary({})
    assert.deepEqual(
      Recent.map(({ FirstName }) => FirstName),
      ['Lead 6', 'Lead 5', 'Lead 4', 'Lead 3', 'Lead 2'],
    )
    assert.equal(Total, 7)
    assert.deepEqual(
      (await crm.leads.getSummary({ Filters: { FirstName: { ne: 'Lead 5' } } })).Recent.map(({ FirstName }) => FirstName),
      ['Lead 6', 'Lead 4', 'Lead 3', 'Lead 2', 'Lead 1'],
    )
  }),

  behaviour('members, managers and admins see what is theirs, at any depth', async (context) => {
    const { boss, deputy, member, stranger } = await team(context)
    for (const summarize of Object.values(SUMMARIES)) {
      const owners = async (crm: Client, UserID?: string) => (await summarize(crm, UserID)).ByOwner.map((row) => row.UserID).sort()
      assert.deepEqual(await owners(boss.crm), [boss.userId, deputy.userId, member.userId].sort())
      assert.deepEqual(await owners(deputy.crm), [deputy.userId, member.userId].sort())
      assert.deepEqual(await owners(member.crm), [member.userId])
      assert.deepEqual(await owners(boss.crm, member.userId), [member.userId])
      assert.deepEqual(await owners(boss.crm, boss.userId), [boss.userId])
      assert.deepEqual(await owners(context.crm, stranger.userId), [stranger.userId])
      assert.deepEqual([(await summarize(boss.crm)).Total, (await summarize(deputy.crm)).Total, (await summarize(member.crm)).Total], [3, 2, 1])
    }
    assert.equal((await boss.crm.opportunities.getSummary({})).TotalAmount, 30)
  }),

  behaviour("UserID narrows to that user's own records, not to those of people below", async (context) => {
    const { boss, deputy } = await team(context)
    assert.equal((await boss.crm.leads.getSummary({ UserID: deputy.userId })).Total, 1)
    assert.equal((await boss.crm.leads.getSummary({ UserID: deputy.userId, Filters: EVERYTHING })).Total, 1)
    assert.equal((await boss.crm.leads.getSummary({ UserID: deputy.userId, Filters: { FirstName: 'nobody' } })).Total, 0)
    assert.deepEqual(await boss.crm.leads.getSummary({ UserID: null }), await boss.crm.leads.getSummary({}))
  }),

  behaviour('a user who does not exist for the caller is not found', async (context) => {
    const { boss, deputy, member, stranger } = await team(context)
    const gone = await absentLead(context)
    const outsider = await context.as({ by: context.other })
    const cannot: readonly (readonly [Client, string])[] = [
      [member.crm, deputy.userId],
      [member.crm, stranger.userId],
      [deputy.crm, boss.userId],
      [boss.crm, stranger.userId],
      [boss.crm, outsider.userId],
      [context.crm, outsider.userId],
      [context.other, member.userId],
      [context.crm, gone],
      [member.crm, gone],
    ]
    for (const [crm, UserID] of cannot) for (const summarize of Object.values(SUMMARIES)) await context.refused(summarize(crm, UserID), 'not_found')
  }),

  behaviour('filters narrow a summary to the records a list with them would show', async (context) => {
    const { crm } = await context.as()
    for (const Amount of amountsOf(context, [1, 2, 3, null])) await crm.opportunities.create({ ...engine(context), Amount })
    await crm.opportunities.create({ ...engine(context), Stage: context.values.openStages[1], Amount: 4 })
    const summary = await crm.opportunities.getSummary({ Filters: { Amount: { gte: 2 }, Stage: context.values.openStages[0] } })
    assert.deepEqual([summary.Total, summary.TotalAmount, summary.AverageAmount, summary.Recent.length], [2, 5, 2.5, 2])
    assert.deepEqual(summary.ByStage, [{ Stage: context.values.openStages[0], Count: 2, Amount: 5 }])
    assert.equal((await crm.opportunities.getSummary({ Filters: { Amount: null } })).Total, amountsOf(context, [null]).length)
  }),

  behaviour('a filter on an owner the caller may not see counts nothing', async (context) => {
    const { member, stranger } = await team(context)
    assert.equal((await member.crm.leads.getSummary({ Filters: { OwnerID: stranger.userId } })).Total, 0)
  }),

  behaviour('the other workspace counts nothing of this one', async (context) => {
    const before = (await context.other.leads.getSummary({})).Total
    const { member } = await team(context)
    const after = await context.other.leads.getSummary({})
    assert.equal(after.Total, before)
    assert.ok(!after.ByOwner.some(({ UserID }) => UserID === member.userId))
  }),

  behaviour('groups are sorted by count, then by name', async ({ as, values }) => {
    const { crm } = await as()
    const words = [...values.openStatuses, ...values.closedStatuses].slice(0, 3).sort()
    const [first = '', second = '', third = ''] = words
    for (const Status of [third, second, first, third]) await crm.cases.create({ ...JAM, Status })
    assert.deepEqual((await crm.cases.getSummary({})).ByStatus, [
      { Status: third, Count: 2 },
      { Status: first, Count: 1 },
      { Status: second, Count: 1 },
    ])
    assert.deepEqual((await crm.cases.getSummary({ Filters: EVERYTHING })).ByStatus, (await crm.cases.getSummary({})).ByStatus)
  }),

  behaviour('of many owners the hundred with the most records are named', async ({ as, newUser }) => {
    const boss = await as({ role: 'manager' })
    const [one = '', ...others] = await Promise.all(Array.from({ length: 101 }, () => newUser({ manager: boss.userId })))
    for (const OwnerID of [one, one, ...others]) {
      const { LeadID } = await boss.crm.leads.create(ALAN)
      await boss.crm.leads.update({ LeadID, FieldsToUpdate: { OwnerID } })
    }
    const { Total, ByOwner } = await boss.crm.leads.getSummary({})
    assert.deepEqual([Total, ByOwner.length, ByOwner[0]], [102, 100, { UserID: one, Count: 2 }])
    assert.deepEqual(
      ByOwner.slice(1).map(({ UserID }) => UserID),
      others.toSorted().slice(0, 99),
    )
  }),

  behaviour('a status that was cleared is a group of its own', async ({ as, described, refused, values }) => {
    const { crm } = await as()
    const { LeadID } = await crm.leads.create(ADA)
    if (described('Lead', 'Status').Required) {
      await refused(crm.leads.update({ LeadID, FieldsToUpdate: { Status: null } }), 'invalid_input', { field: 'FieldsToUpdate.Status', code: 'required' })
      return assert.deepEqual((await crm.leads.getSummary({})).ByStatus, [{ Status: values.leadStatuses[0], Count: 1 }])
    }
    await crm.leads.update({ LeadID, FieldsToUpdate: { Status: null } })
    assert.deepEqual((await crm.leads.getSummary({})).ByStatus, [{ Status: null, Count: 1 }])
    assert.deepEqual((await crm.leads.getSummary({ Filters: { Status: null } })).ByStatus, [{ Status: null, Count: 1 }])
  }),
])
