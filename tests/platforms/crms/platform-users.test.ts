import type { Simulate, WireAnswer } from 'crm-simulators'
import { expect, onTestFinished, test } from 'vitest'
import { createAuthenticator } from '../../../src/core/access/authenticate.ts'
import { listPlatformUsers } from '../../../src/core/access/platform-users.ts'
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

test.each(ALL_CRMS)('%s: its users have names, which are read once for many', async (_name, crm) => {
  const { service, adminKey, makePlatformUser, close } = await overCrm(crm)
  onTestFinished(close)
  const caller = await createAuthenticator(service)(adminKey)
  const PlatformUserID = await makePlatformUser?.('first')
  const named = await listPlatformUsers(service, caller)
  expect(named).toContainEqual({ PlatformUserID, Name: expect.stringMatching(/^User \d+$/) })
  await makePlatformUser?.('first')
  expect(await listPlatformUsers(service, caller)).toEqual(named)
  await expect(listPlatformUsers(service, { ...caller, scopes: ['read:Lead'] })).rejects.toMatchObject({ code: 'forbidden' })
})

/** How each CRM refuses to show its users, and where they are. */
const HIDDEN: { readonly [name: string]: { readonly path: RegExp; readonly answer: WireAnswer } } = {
  salesforce: { path: /\/query$/, answer: { status: 400, body: [{ errorCode: 'INVALID_TYPE', message: "sObject type 'User' is not supported." }] } },
  hubspot: {
    path: /\/owners/,
    answer: {
      status: 403,
      body: { status: 'error', category: 'MISSING_SCOPES', message: 'This app has not been granted all required scopes.', correlationId: 'x' },
    },
  },
  espocrm: { path: /\/User(\/|$)/, answer: { status: 403, headers: { 'x-status-reason': "No 'read' access." } } },
}

test.each(ALL_CRMS)('%s: a PlatformUserID that may not be looked up is taken as it is, and has no name', async (name, crm) => {
  const { path, answer } = HIDDEN[name] as (typeof HIDDEN)[string]
  const simulate: Simulate = (world) => {
    const simulated = crm.simulate(world)
    return {
      ...simulated,
      answer: (request) =>
        request.method === 'GET' && path.test(request.path) && !/Lead/.test(request.query.get('q') ?? '') ? answer : simulated.answer(request),
    }
  }
  const { service, signIn, adminKey, makePlatformUser, close } = await overCrm({ ...crm, simulate })
  onTestFinished(close)
  const PlatformUserID = (await makePlatformUser?.('first')) as string
  expect(await signIn(adminKey).users.create({ Name: 'Ada', PlatformUserID })).toMatchObject({ PlatformUserID })
  expect(await listPlatformUsers(service, await createAuthenticator(service)(adminKey))).toEqual([])
})
