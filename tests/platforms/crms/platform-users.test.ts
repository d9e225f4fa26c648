import { expect, onTestFinished, test } from 'vitest'
import { ALL_CRMS } from '../../support/crms/all.ts'
import { overCrm } from '../../support/crms.ts'

test.each(ALL_CRMS)('%s: a PlatformUserID is that of an active user, or refused', async (_name, crm) => {
  const { signIn, adminKey, makePlatformUser, close } = await overCrm(crm)
  onTestFinished(close)
  const { users } = signIn(adminKey)
  const PlatformUserID = await makePlatformUser?.('first')
  const { UserID, ...made } = await users.create({ Name: 'Ada', PlatformUserID: PlatformUserID as string })
  expect(made.PlatformUserID).toBe(PlatformUserID)
  for (const wrong of ['999999999999999', '0055e0000000zzzAAA', 'ada', "x' OR Id != '", '0', '../Lead']) {
    const refused = (field: string) => ({ code: 'invalid_input', errors: [{ field, code: 'not_found' }] })
    await expect(users.create({ Name: 'Grace', PlatformUserID: wrong }), wrong).rejects.toMatchObject(refused('PlatformUserID'))
    await expect(users.update({ UserID, FieldsToUpdate: { PlatformUserID: wrong } }), wrong).rejects.toMatchObject(refused('FieldsToUpdate.PlatformUserID'))
  }
  expect(await users.update({ UserID, FieldsToUpdate: { PlatformUserID: null } })).toMatchObject({ PlatformUserID: null })
  expect((await users.getMany({ Filters: { Name: 'Grace' } })).Records).toEqual([])
})
