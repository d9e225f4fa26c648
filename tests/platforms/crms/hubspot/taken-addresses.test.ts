import { expect, onTestFinished, test } from 'vitest'
import { HUBSPOT } from '../../../support/crms/hubspot.ts'
import { overCrm } from '../../../support/crms.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com' }

test('whose an e-mail address is, is told to those alone who may see the lead', async () => {
  const { adminKey, signIn, makePlatformUser, close } = await overCrm(HUBSPOT)
  onTestFinished(close)
  const admin = signIn(adminKey)
  const { UserID } = await admin.users.create({
    Name: 'Sally',
    Email: 'sally@example.com',
    Role: 'member',
    PlatformUserID: (await makePlatformUser?.('first')) as string,
  })
  const sally = signIn((await admin.keys.create({ UserID, Label: 'sally' })).Key as string)
  const { LeadID } = await admin.leads.create(ADA)
  const refusalOf = (creating: Promise<unknown>) =>
    creating.then(
      () => expect.unreachable(),
      (error: Error & { errors: unknown; hint: string }) => error,
    )
  const [known, unknown] = [await refusalOf(admin.leads.create(ADA)), await refusalOf(sally.leads.create(ADA))]
  expect(known).toMatchObject({ code: 'platform_rejected', message: expect.stringContaining(LeadID) })
  expect(unknown).toMatchObject({ code: 'platform_rejected', errors: [{ field: 'Email', code: 'conflict' }] })
  expect(JSON.stringify([unknown.message, unknown.errors, unknown.hint])).not.toContain(LeadID)
})
