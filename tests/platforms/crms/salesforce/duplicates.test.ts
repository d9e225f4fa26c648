import jsforce from 'jsforce'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'
import { SALESFORCE } from '../../../support/crms/salesforce.ts'
import { overCrm } from '../../../support/crms.ts'
import { account, create } from './account.ts'

const { open, simulator } = account()

const ADA = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com' }
const DRAFT: StoredRecord = { ...ADA, Status: 'Open' }

/** Changes the rule as an admin would, by a client that others wrote. */
async function setRule(rule: { readonly isActive: boolean; readonly actionOnInsert: 'Allow' | 'Block' }) {
  const connection = new jsforce.Connection({ instanceUrl: simulator().url, accessToken: 'simulator', version: '60.0' })
  const saved = await connection.metadata.update('DuplicateRule', { fullName: 'Lead.Standard_Lead_Duplicate_Rule', ...rule } as never)
  expect(saved).toMatchObject({ success: true })
}

describe('the standard rule for leads', () => {
  // Its result has an l too few in the versions before.
  test.each(['62.0', '66.0'])('refuses a lead that is there, and says by which rule and whether it can be overridden: version %s', async (apiVersion) => {
    const driver = await open({}, { apiVersion })
    const id = await create(driver, 'Lead', DRAFT)
    const refusal = {
      code: 'platform_rejected',
      message: expect.stringContaining('Standard_Lead_Duplicate_Rule'),
      hint: expect.stringContaining('`allow`'),
      conflicting: [{ type: 'Lead', id }],
    }
    const [alone] = await driver.create('Lead', [DRAFT])
    expect(alone).toMatchObject(refusal)
    expect((alone as Error).message).not.toContain(id)
    const several = await driver.create('Lead', [DRAFT, { ...DRAFT, FirstName: 'Grace' }])
    expect(several).toMatchObject([refusal, { id: expect.any(String) }])
  })

  test('lets through what it warns of where the configuration says so', async () => {
    const driver = await open({}, { duplicates: 'allow' })
    await create(driver, 'Lead', DRAFT)
    await create(driver, 'Lead', DRAFT)
    expect(await driver.count('Lead', { where: [] })).toBe(2)
  })

  test('says that it blocks, where nothing overrides it', async () => {
    for (const options of [{ duplicates: 'refuse' }, { duplicates: 'allow' }]) {
      simulator().simulated.reset()
      await setRule({ isActive: true, actionOnInsert: 'Block' })
      const driver = await open({}, options)
      await create(driver, 'Lead', DRAFT)
      expect(await driver.create('Lead', [DRAFT])).toMatchObject([{ code: 'platform_rejected', hint: expect.stringContaining('blocks') }])
    }
  })

  test('is one that an account may switch off', async () => {
    await setRule({ isActive: false, actionOnInsert: 'Allow' })
    const driver = await open()
    await create(driver, 'Lead', DRAFT)
    await create(driver, 'Lead', DRAFT)
  })

  test('does not take a lead for a duplicate that only has the same name', async () => {
    const driver = await open()
    await create(driver, 'Lead', { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open' })
    await create(driver, 'Lead', DRAFT)
    await create(driver, 'Lead', { ...DRAFT, Email: 'countess@example.com' })
  })
})

test('the lead that is there is named to callers who may see it, and to no others', async () => {
  const { signIn, adminKey, makePlatformUser, close } = await overCrm({ ...SALESFORCE, options: {} })
  onTestFinished(close)
  const crm = signIn(adminKey)
  const { LeadID } = await crm.leads.create(ADA)
  const { UserID } = await crm.users.create({ Name: 'Grace', PlatformUserID: (await makePlatformUser?.('first')) as string })
  const grace = signIn((await crm.keys.create({ UserID, Scopes: ['read', 'write'] })).Key)
  const refusal = await crm.leads.create(ADA).catch((error: unknown) => error as Error)
  expect(refusal).toMatchObject({ code: 'platform_rejected', message: expect.stringContaining(LeadID), errors: [{ field: 'LeadID', code: 'conflict' }] })
  const blind = await grace.leads.create(ADA).catch((error: unknown) => error as Error)
  expect(blind).toMatchObject({ code: 'platform_rejected', message: expect.stringContaining('Standard_Lead_Duplicate_Rule'), hint: expect.any(String) })
  expect(JSON.stringify([blind, (blind as Error).message])).not.toContain(LeadID.slice(0, 15))
  const { Results } = await crm.batch({
    Operations: [
      { Operation: 'create_a_lead', Input: ADA },
      { Operation: 'create_a_lead', Input: ADA },
    ],
  })
  for (const { Error: problem } of Results) expect(problem).toMatchObject({ code: 'platform_rejected', detail: expect.stringContaining(LeadID) })
})
