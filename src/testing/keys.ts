import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { behaviour, theme } from './behaviour.ts'
import { ADA, absentLead, allPages } from './records.ts'

/** Transports limit failed sign-ins, ten a minute with ours, so all behaviours together fail to sign in fewer times than that. */
export const keys = theme('keys', [
  behaviour('a new key is by default for the caller, with read and write', async ({ crm, signIn, refused }) => {
    const { UserID } = await crm.users.getCurrent({})
    const { Key, ...made } = await crm.keys.create({})
    const { KeyID, CreatedDate, UpdatedDate, Revision } = made
    assert.deepEqual(made, {
      KeyID,
      UserID,
      Label: null,
      Scopes: ['read', 'write'],
      Confirm: null,
      ExpiresDate: null,
      LastUsedDate: null,
      Kind: null,
      ClientID: null,
      Resource: null,
      RenewableUntil: null,
      RevokedDate: null,
      CreatedDate,
      UpdatedDate,
      Revision,
    })
    const mine = signIn(Key)
    const { LeadID } = await mine.leads.create(ADA)
    await refused(mine.leads.delete({ LeadID }), 'forbidden')
    await refused(mine.keys.create({}), 'forbidden')
    assert.equal((await crm.keys.revoke({ KeyID })).KeyID, KeyID)
  }),

  behaviour('a key expires no later than the key that makes it', async ({ crm, signIn, refused }) => {
    const ExpiresDate = new Date(Date.now() + 3_600_000).toISOString()
    const maker = signIn((await crm.keys.create({ Scopes: ['admin', 'read'], ExpiresDate })).Key)
    assert.equal((await maker.keys.create({ Scopes: ['read'] })).ExpiresDate, ExpiresDate)
    await refused(maker.keys.create({ Scopes: ['read'], ExpiresDate: '2099-01-01T00:00:00Z' }), 'forbidden')
  }),

  behaviour('a key keeps its label, scopes and expiry', async ({ crm, as, signIn }) => {
    const { userId: UserID } = await as()
    const made = await crm.keys.create({ UserID, Label: 'nightly', Scopes: ['read:Lead', 'delete:case_delete'], ExpiresDate: '2099-01-01T02:00:00+02:00' })
    assert.deepEqual(
      [made.UserID, made.Label, made.Scopes, made.ExpiresDate],
      [UserID, 'nightly', ['read:Lead', 'delete:case_delete'], '2099-01-01T00:00:00.000Z'],
    )
    const me = await signIn(made.Key).users.getCurrent({})
    assert.deepEqual([me.UserID, me.KeyID, me.Scopes, me.ExpiresDate], [UserID, made.KeyID, made.Scopes, made.ExpiresDate])
  }),

  behaviour('a key is shown once and never listed', async ({ crm, as }) => {
    const { userId: UserID, key, keyId } = await as()
    const listed = await allPages((Cursor) => crm.keys.getMany({ Filters: { UserID }, Cursor }))
    assert.deepEqual(
      listed.map(({ KeyID }) => KeyID),
      [keyId],
    )
    assert.ok(!JSON.stringify(listed).includes(key))
    assert.ok(!JSON.stringify(await crm.keys.revoke({ KeyID: keyId })).includes(key))
    assert.ok(key.length >= 32)
  }),

  behaviour('no two keys are the same, and none is found by filtering for it', async ({ crm, as, refused }) => {
    const [one, two] = [await as(), await as()]
    assert.notEqual(one.key, two.key)
    await refused(crm.call('get_many_keys', { Filters: { Digest: 'x' } }), 'invalid_input', { field: 'Filters.Digest', code: 'unknown' })
    await refused(crm.call('get_many_keys', { Filters: { Key: one.key } }), 'invalid_input', { field: 'Filters.Key', code: 'unknown' })
    assert.equal((await crm.keys.getMany({ Filters: { KeyID: one.key } })).Records.length, 0)
  }),

  behaviour('a revoked key is refused at once and for good, the others go on', async ({ crm, as, signIn, refused }) => {
    const member = await as()
    const second = await crm.keys.create({ UserID: member.userId })
    await member.crm.leads.create(ADA)
    const revoked = await crm.keys.revoke({ KeyID: member.keyId })
    assert.ok(revoked.RevokedDate)
    await refused(member.crm.users.getCurrent({}), 'unauthenticated')
    assert.equal((await signIn(second.Key).leads.getMany({})).Records.length, 1)
    const listed = async (RevokedDate: null | { ne: null }) =>
      (await crm.keys.getMany({ Filters: { UserID: member.userId, RevokedDate } })).Records.map(({ KeyID }) => KeyID)
    assert.deepEqual([await listed(null), await listed({ ne: null })], [[second.KeyID], [member.keyId]])
  }),

  behaviour('a key that does not exist cannot be revoked', async (context) => {
    await context.refused(context.crm.keys.revoke({ KeyID: await absentLead(context) }), 'not_found')
    const { keyId } = await context.as({ by: context.other })
    await context.refused(context.crm.keys.revoke({ KeyID: keyId }), 'not_found')
    await context.refused(context.crm.keys.create({ UserID: await absentLead(context) }), 'not_found')
  }),

  behaviour('an expired key is refused', async ({ crm, as, signIn, refused }) => {
    const { userId: UserID } = await as()
    // Where a stalled machine lets the key expire before its first use, the next one lives longer.
    for (let lifetime = 1500; ; lifetime *= 2) {
      const until = Date.now() + lifetime
      const ExpiresDate = new Date(until).toISOString()
      try {
        const { Key } = await crm.keys.create({ UserID, ExpiresDate })
        assert.equal((await signIn(Key).users.getCurrent({})).ExpiresDate, ExpiresDate)
        await sleep(until + 100 - Date.now())
        return void (await refused(signIn(Key).users.getCurrent({}), 'unauthenticated'))
      } catch (error) {
        if (error instanceof assert.AssertionError || Date.now() < until) throw error
      }
    }
  }),

  behaviour('an expiry must be a time with a zone', async ({ crm, refused }) => {
    for (const ExpiresDate of ['2099-01-01T00:00:00', '2099-01-01', 'never'])
      await refused(crm.keys.create({ ExpiresDate }), 'invalid_input', { field: 'ExpiresDate' })
  }),

  behaviour('an unknown key is refused, whatever it looks like', async ({ as, signIn, refused }) => {
    const { key } = await as()
    const swapped = key.toUpperCase() === key ? key.toLowerCase() : key.toUpperCase()
    for (const wrong of ['nonsense', `${key}x`, key.slice(0, -1), swapped]) await refused(signIn(wrong).leads.getMany({}), 'unauthenticated')
  }),
])
