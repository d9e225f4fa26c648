import assert from 'node:assert/strict'
import { CrmError, ERRORS, type ErrorCode, type Fault } from '../contract/errors.ts'
import { TIERS, WORKSPACE_TIERS } from '../contract/operation.ts'
import { recordType } from '../contract/operations.ts'
import { FurtherFields, watched } from './answers.ts'
import type { Connection, Context, PersonDraft } from './behaviour.ts'
import { readValues } from './values.ts'

/** Everything a run's behaviours share. */
export async function openContext(connection: Connection): Promise<Context> {
  const further = new FurtherFields(connection.signIn(connection.adminKey), connection.signIn(connection.otherAdminKey))
  await further.read()
  const signIn = (key: string) => watched(connection.signIn(key), further)
  const crm = signIn(connection.adminKey)
  const run = Math.random().toString(36).slice(2, 8)
  let made = 0
  const unique = (prefix: string) => `${prefix}_${run}_${++made}`
  const { RecordTypes } = await crm.describe({})

  return {
    crm,
    resent: () => connection.resent?.() ?? 0,
    lacks: (what) => connection.lacks?.includes(what) ?? false,
    described(type, field) {
      const found = RecordTypes.find(({ Name }) => Name === type)?.Fields.find(({ Name }) => Name === field)
      assert.ok(found, `${type}.${field} is described`)
      return found
    },
    derives(type, field) {
      const found = RecordTypes.find(({ Name }) => Name === type)?.Fields.find(({ Name }) => Name === field)
      return found !== undefined && !found.Writable && !Object.hasOwn(recordType(type).fields, field)
    },
    other: signIn(connection.otherAdminKey),
    values: readValues(RecordTypes, connection.values),
    signIn,
    leaveDeadLetter: connection.leaveDeadLetter,
    loseNextWrite: connection.loseNextWrite,
    unique,
    boats: unique('Boat'),
    refused,
    newUser,
    platformUser: async () => (await connection.makePlatformUser?.('first')) ?? unique('platform'),
    async as({ scopes, ...draft }: PersonDraft = {}) {
      const { role = 'member', by = crm } = draft
      const UserID = await newUser(draft)
      const made = await by.keys.create({
        UserID,
        Scopes: scopes ?? (role === 'admin' && by === crm ? [...TIERS] : WORKSPACE_TIERS.filter((tier) => tier !== 'admin' || role === 'admin')),
      })
      return { crm: signIn(made.Key), userId: UserID, key: made.Key, keyId: made.KeyID }
    },
  }

  async function newUser({ role = 'member', manager, by = crm }: Omit<PersonDraft, 'scopes'> = {}): Promise<string> {
    const PlatformUserID = await connection.makePlatformUser?.(by === crm ? 'first' : 'second')
    const { UserID } = await by.users.create({
      Name: unique(role),
      Role: role,
      ...(manager !== undefined && { ManagerID: manager }),
      ...(PlatformUserID !== undefined && { PlatformUserID }),
    })
    return UserID
  }
}

async function refused(call: Promise<unknown>, code: ErrorCode, fault?: Partial<Fault>): Promise<CrmError> {
  const error: unknown = await call.then(
    (answer) => assert.fail(`Expected ${code}, was answered with ${JSON.stringify(answer)?.slice(0, 300)}`),
    (reason: unknown) => reason,
  )
  assert.ok(isCrmError(error), `Expected a CrmError with ${code}, caught ${String(error)}`)
  assert.equal(error.code, code, `Expected ${code}, was refused with ${error.code}: ${error.message} ${JSON.stringify(error.errors)}`)
  assert.ok(error.message.length > 0, `${code} says what happened`)
  assert.equal(error.retryable, ERRORS[code].retryable)
  if (fault) {
    const found = error.errors?.some((one) => Object.entries(fault).every(([member, wanted]) => alike(member, one[member as keyof Fault], wanted)))
    assert.ok(found, `No fault like ${JSON.stringify(fault)} among ${JSON.stringify(error.errors)}`)
  }
  return error
}

/** A fault inside a field (`Filters.Amount.gte`) is a fault of that field (`Filters.Amount`). */
function alike(member: string, found: string | undefined, wanted: string): boolean {
  return found === wanted || (member === 'field' && found !== undefined && /^[.[]/.test(found.slice(wanted.length)) && found.startsWith(wanted))
}

/** By name, since a published suite and a published client may each carry their own class. */
function isCrmError(error: unknown): error is CrmError {
  return error instanceof CrmError || (error instanceof Error && error.name === 'CrmError' && 'code' in error)
}
