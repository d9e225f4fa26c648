import assert from 'node:assert/strict'
import type { CrmError } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import { behaviour, type Context, theme } from './behaviour.ts'
import { amountsOf, engine } from './records.ts'

/** What comes back for what was sent. */
const STORED: readonly (readonly [sent: number, stored: number])[] = [
  [0.1 + 0.2, 0.3],
  [1.1 * 3, 3.3],
  [1.005 * 1000, 1005],
  [4.35 * 100, 435],
  [19.99, 19.99],
  [0.0001, 0.0001],
  [1234.5678, 1234.5678],
  [-5.25, -5.25],
  [-0, 0],
  [0, 0],
  [999_999_999_999_999, 999_999_999_999_999],
  [-999_999_999_999_999, -999_999_999_999_999],
  [12_345_678_901.2345, 12_345_678_901.2345],
  [99_999_999_999.9999, 99_999_999_999.9999],
]

/** How many decimals of an amount the platform keeps: as many as the contract has, unless it refuses one that has more. */
async function storedDecimals(context: Context): Promise<number> {
  for (let decimals: number = LIMITS.moneyDecimals; ; decimals--) {
    const Amount = finer(1, decimals)
    const answer = await context.crm.opportunities.create({ ...engine(context), Amount }).catch((error: CrmError) => error)
    if (!(answer instanceof Error)) return decimals
    assert.ok(context.lacks('full fields') && decimals > 0, String(answer))
    await context.refused(Promise.reject(answer), 'invalid_input', { field: 'Amount' })
  }
}

/** How many digits of an amount the platform keeps, found in the same way. */
async function storedDigits(context: Context): Promise<number> {
  for (let digits: number = LIMITS.moneyDigits; ; digits--) {
    const answer = await context.crm.opportunities.create({ ...engine(context), Amount: 10 ** digits - 1 }).catch((error: CrmError) => error)
    if (!(answer instanceof Error)) return digits
    assert.ok(context.lacks('full fields') && digits > 10, String(answer))
    await context.refused(Promise.reject(answer), 'invalid_input', { field: 'Amount' })
  }
}

/** The amount plus the smallest step of that many decimals: 1.01 for 1 and 2 decimals. */
const finer = (amount: number, decimals: number) => Number((amount + 10 ** -decimals).toFixed(decimals))

/** The amounts of STORED that the platform stores, and those it refuses: with too many decimals or digits, or below zero. */
async function storedAmounts(context: Context) {
  const [decimals, digits] = [await storedDecimals(context), await storedDigits(context)]
  const isFine = ([, stored]: readonly [number, number]) => Number(stored.toFixed(decimals)) === stored && Number(stored.toPrecision(digits)) === stored
  const tooFine = STORED.filter((one) => !isFine(one)).map(([sent]) => sent)
  const stored = STORED.filter((one) => isFine(one) && amountsOf(context, [one[1]]).length > 0)
  return { stored, tooFine, tooLow: STORED.filter((one) => isFine(one) && !stored.includes(one)).map(([sent]) => sent) }
}

const REFUSED = [
  1.00005, 0.00001, -0.12345, 1e15, -1e15, 1_234_567_890_123_456, 123_456_789_012.3456, 12_345_678_901.23456, 99_999_999_999.99994, 1e300, 5e-324,
]

export const money = theme('money', [
  behaviour('an amount is stored exactly, with floating point noise rounded away', async (context) => {
    const amounts = await storedAmounts(context)
    for (const [sent, stored] of amounts.stored) {
      const { OpportunityID, Amount } = await context.crm.opportunities.create({ ...engine(context), Amount: sent })
      assert.equal(Amount, stored)
      assert.equal((await context.crm.opportunities.get({ OpportunityID })).Amount, stored)
    }
    const create = (Amount: number) => context.crm.opportunities.create({ ...engine(context), Amount })
    for (const Amount of amounts.tooFine) await context.refused(create(Amount), 'invalid_input', { field: 'Amount' })
    for (const Amount of amounts.tooLow) await context.refused(create(Amount), 'platform_rejected', { field: 'Amount' })
  }),

  behaviour('an update keeps amounts the same way', async (context) => {
    const { OpportunityID } = await context.crm.opportunities.create(engine(context))
    const change = (Amount: number) => context.crm.opportunities.update({ OpportunityID, FieldsToUpdate: { Amount } })
    const amounts = await storedAmounts(context)
    for (const [sent, stored] of amounts.stored) assert.equal((await change(sent)).Amount, stored)
    for (const sent of amounts.tooFine) await context.refused(change(sent), 'invalid_input', { field: 'FieldsToUpdate.Amount' })
  }),

  behaviour('an amount that needs a fifth decimal or a sixteenth digit is refused', async (context) => {
    const { OpportunityID } = await context.crm.opportunities.create(engine(context))
    for (const Amount of REFUSED) {
      await context.refused(context.crm.opportunities.create({ ...engine(context), Amount }), 'invalid_input', { field: 'Amount' })
      await context.refused(context.crm.opportunities.update({ OpportunityID, FieldsToUpdate: { Amount } }), 'invalid_input', {
        field: 'FieldsToUpdate.Amount',
      })
    }
    assert.equal((await context.crm.opportunities.get({ OpportunityID })).Amount, 1200.5)
  }),

  behaviour('an amount is a number and not a text that looks like one', async (context) => {
    for (const Amount of ['5', '', true, [5], { value: 5 }]) {
      await context.refused(context.crm.call('create_opportunity', { ...engine(context), Amount }), 'invalid_input', { field: 'Amount', code: 'type' })
    }
  }),

  behaviour('sums are exact', async (context) => {
    const { crm } = await context.as()
    const all = amountsOf(context, [0.1, 0.2, 0.7, 1.1, 2.2, 3.3, -0.6])
    for (const Amount of all) await crm.opportunities.create({ ...engine(context), Amount })
    const { TotalAmount, ByStage, ByOwner, Open } = await crm.opportunities.getSummary({})
    assert.deepEqual([TotalAmount, ByStage[0]?.Amount, ByOwner[0]?.Amount, Open.Amount], Array(4).fill(all.includes(-0.6) ? 7 : 7.6))
    assert.equal((await crm.opportunities.getSummary({ Filters: { Amount: { gt: 0 } } })).TotalAmount, 7.6)
  }),

  behaviour('large amounts add up without a loss', async (context) => {
    const { crm } = await context.as()
    const digits = await storedDigits(context)
    const fine = finer(99_999_999_998, Math.min(await storedDecimals(context), digits - 11))
    const besides = amountsOf(context, [-fine]).flatMap(() => [fine, -fine])
    const large = 9 * 10 ** (digits - 1)
    for (const Amount of [large + 1, large + 2, ...besides]) await crm.opportunities.create({ ...engine(context), Amount })
    assert.equal((await crm.opportunities.getSummary({})).TotalAmount, 2 * large + 3)
  }),

  behaviour('filters may compare with numbers that no amount can be', async (context) => {
    const { crm } = await context.as()
    const decimals = await storedDecimals(context)
    const [more, between] = [finer(1, decimals), 1 + 10 ** -decimals / 2]
    for (const Amount of [1, more]) await crm.opportunities.create({ ...engine(context), Amount })
    const found = async (Amount: { gt?: number; gte?: number; lt?: number; lte?: number; in?: number[] } | number) =>
      (await crm.opportunities.getMany({ Filters: { Amount } })).Records.map((deal) => deal.Amount).sort()
    assert.deepEqual(await found({ gt: between }), [more])
    assert.deepEqual(await found({ gte: between }), [more])
    assert.deepEqual(await found({ lt: between }), [1])
    assert.deepEqual(await found({ lte: between }), [1])
    assert.deepEqual(await found(between), [])
    assert.deepEqual(await found({ in: [between, 1] }), [1])
    for (const huge of [1e15, 1e18, 1e300]) {
      assert.deepEqual(await found({ lt: huge }), [1, more], String(huge))
      assert.deepEqual(await found({ gt: huge }), [], String(huge))
      assert.deepEqual(await found({ gt: -huge, lte: huge }), [1, more], String(huge))
    }
  }),

  behaviour('filters compare amounts as they are stored', async (context) => {
    const { crm } = await context.as()
    await crm.opportunities.create({ ...engine(context), Amount: 0.3 })
    for (const Amount of [0.3, 0.1 + 0.2, { gte: 0.3 }, { lte: 0.3 }, { gt: 0.2999 }, { lt: 0.3001 }, { in: [0.3] }]) {
      assert.equal((await crm.opportunities.getMany({ Filters: { Amount } })).Records.length, 1, JSON.stringify(Amount))
    }
    for (const Amount of [0.2999, { gt: 0.3 }, { lt: 0.3 }, { ne: 0.3 }])
      assert.equal((await crm.opportunities.getMany({ Filters: { Amount } })).Records.length, 0, JSON.stringify(Amount))
  }),
])
