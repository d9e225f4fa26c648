import assert from 'node:assert/strict'
import { behaviour, theme } from './behaviour.ts'
import { ADA, absentLead } from './records.ts'

export const users = theme('users', [
  behaviour('a new user answers with the whole record: by default an active member', async ({ crm, unique, platformUser }) => {
    const Name = unique('Grace')
    const grace = await crm.users.create({ Name })
    const { UserID, CreatedDate, UpdatedDate, Revision } = grace
    assert.deepEqual(
      { ...grace },
      { UserID, Name, Email: null, Role: 'member', ManagerID: null, PlatformUserID: null, Identity: null, Active: true, CreatedDate, UpdatedDate, Revision },
    )
    const full = { Name, Email: 'g@example.com', Role: 'manager', ManagerID: UserID, PlatformUserID: await platformUser() } as const
    const second = await crm.users.create(full)
    assert.deepEqual({ ...second }, { ...second, ...full, Active: true })
    assert.deepEqual((await crm.users.getMany({ Filters: { Name }, OrderBy: 'UserID' })).Records, [grace, second])
    await crm.users.update({ UserID: second.UserID, FieldsToUpdate: { PlatformUserID: null } })
  }),

  behaviour('users see themselves and those below, admins everyone', async ({ crm, as }) => {
    const boss = await as({ role: 'manager' })
    const deputy = await as({ role: 'manager', manager: boss.userId })
    const member = await as({ manager: deputy.userId })
    const seen = async (who: typeof boss) => (await who.crm.users.getMany({})).Records.map(({ UserID }) => UserID).sort()
    assert.deepEqual(await seen(boss), [boss.userId, deputy.userId, member.userId].sort())
    assert.deepEqual(await seen(deputy), [deputy.userId, member.userId].sort())
    assert.deepEqual(await seen(member), [member.userId])
    const everyone = (await crm.users.getMany({ Filters: { UserID: { in: [boss.userId, deputy.userId, member.userId] } } })).Records
    assert.equal(everyone.length, 3)
  }),

  behaviour('an update changes only the named fields of a user', async ({ crm, as, refused, platformUser }) => {
    const { userId: UserID } = await as()
    const [before] = (await crm.users.getMany({ Filters: { UserID } })).Records
    const PlatformUserID = await platformUser()
    const { UpdatedFields, ...after } = await crm.users.update({ UserID, FieldsToUpdate: { Email: 'new@example.com', PlatformUserID } })
    assert.deepEqual(UpdatedFields.toSorted(), ['Email', 'PlatformUserID'])
    assert.deepEqual(after, { ...before, Email: 'new@example.com', PlatformUserID, UpdatedDate: after.UpdatedDate, Revision: after.Revision })
    assert.ok(after.Revision > (before?.Revision ?? after.Revision))
    await refused(crm.users.update({ UserID, FieldsToUpdate: { Name: 'x' }, IfRevision: before?.Revision ?? 1 }), 'conflict')
    await refused(crm.call('update_user', { UserID, FieldsToUpdate: { Role: 'owner' } }), 'invalid_input', { field: 'FieldsToUpdate.Role' })
    await refused(crm.call('update_user', { UserID, FieldsToUpdate: { Active: null } }), 'invalid_input', { field: 'FieldsToUpdate.Active', code: 'required' })
    await refused(crm.call('update_user', { UserID, FieldsToUpdate: { UserID: 'x' } }), 'invalid_input', { field: 'FieldsToUpdate.UserID', code: 'read_only' })
    await refused(crm.users.update({ UserID, FieldsToUpdate: {} }), 'invalid_input', { field: 'FieldsToUpdate' })
  }),

  behaviour('a manager must exist', async (context) => {
    const { crm, refused } = context
    const outsider = await context.as({ by: context.other })
    const { userId: UserID } = await context.as()
    for (const ManagerID of [await absentLead(context), outsider.userId]) {
      await refused(crm.users.create({ Name: 'x', ManagerID }), 'not_found')
      await refused(crm.users.update({ UserID, FieldsToUpdate: { ManagerID } }), 'not_found')
    }
    await refused(crm.users.update({ UserID: await absentLead(context), FieldsToUpdate: { Name: 'x' } }), 'not_found')
  }),

  behaviour('managers may not form a circle', async ({ crm, as, refused }) => {
    const top = await as({ role: 'manager' })
    const middle = await as({ role: 'manager', manager: top.userId })
    const bottom = await as({ manager: middle.userId })
    for (const ManagerID of [top.userId, middle.userId, bottom.userId])
      await refused(crm.users.update({ UserID: top.userId, FieldsToUpdate: { ManagerID, Name: 'changed' } }), 'conflict')
    const [after] = (await crm.users.getMany({ Filters: { UserID: top.userId } })).Records
    assert.deepEqual([after?.ManagerID, after?.Name === 'changed'], [null, false])
    assert.equal((await crm.users.update({ UserID: bottom.userId, FieldsToUpdate: { ManagerID: top.userId } })).ManagerID, top.userId)
  }),

  behaviour('two changes made at once do not close a circle either', async ({ crm, as }) => {
    const [a, b] = [await as({ role: 'manager' }), await as({ role: 'manager' })]
    const outcomes = await Promise.allSettled([
      crm.users.update({ UserID: a.userId, FieldsToUpdate: { ManagerID: b.userId } }),
      crm.users.update({ UserID: b.userId, FieldsToUpdate: { ManagerID: a.userId } }),
    ])
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  }),

  behaviour('the last active admin stays', async ({ other, as, refused }) => {
    const { UserID } = await other.users.getCurrent({})
    await refused(other.users.update({ UserID, FieldsToUpdate: { Active: false } }), 'conflict')
    await refused(other.users.update({ UserID, FieldsToUpdate: { Role: 'member' } }), 'conflict')
    const { Role, Active } = await other.users.getCurrent({})
    assert.deepEqual([Role, Active], ['admin', true])
    const second = await as({ role: 'admin', by: other })
    assert.equal((await other.users.update({ UserID: second.userId, FieldsToUpdate: { Role: 'manager' } })).Role, 'manager')
    await refused(other.users.update({ UserID, FieldsToUpdate: { Role: 'manager' } }), 'conflict')
    assert.equal((await other.users.update({ UserID, FieldsToUpdate: { Email: 'admin@example.com' } })).Email, 'admin@example.com')
  }),

  behaviour('the keys of an inactive user are refused at once, and accepted again when they return', async ({ crm, as, refused }) => {
    const member = await as()
    await member.crm.leads.create(ADA)
    await crm.users.update({ UserID: member.userId, FieldsToUpdate: { Active: false } })
    await refused(member.crm.leads.getMany({}), 'unauthenticated')
    await crm.users.update({ UserID: member.userId, FieldsToUpdate: { Active: true } })
    assert.equal((await member.crm.leads.getMany({})).Records.length, 1)
  }),

  behaviour('an admin who becomes a member can no longer administer, whatever the key says', async ({ crm, as, refused }) => {
    const admin = await as({ role: 'admin' })
    await admin.crm.users.getMany({})
    await crm.users.update({ UserID: admin.userId, FieldsToUpdate: { Role: 'member' } })
    await refused(admin.crm.users.create({ Name: 'x' }), 'forbidden')
    await refused(admin.crm.keys.create({}), 'forbidden')
    assert.equal((await admin.crm.leads.getMany({})).Records.length, 0)
  }),

  behaviour('get_current_user says who the key is, its role and scopes', async ({ as, other }) => {
    const boss = await as({ role: 'manager' })
    const member = await as({ manager: boss.userId, scopes: ['read:Lead', 'write:create_a_lead'] })
    const me = await member.crm.users.getCurrent({})
    assert.deepEqual(
      [me.UserID, me.Role, me.ManagerID, me.KeyID, me.Scopes, me.ExpiresDate],
      [member.userId, 'member', boss.userId, member.keyId, ['read:Lead', 'write:create_a_lead'], null],
    )
    assert.notEqual((await other.users.getCurrent({})).Workspace, me.Workspace)
  }),
])
