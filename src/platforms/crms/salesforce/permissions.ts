import { DriverError } from '../engine/errors.ts'
import type { Api } from './api.ts'
import { isId } from './ids.ts'
import { quoted } from './soql.ts'
import type { Writes } from './writes.ts'

/** Whose permissions make what we define visible to us: those of a permission set that is named, or of the profile of whom we sign in as. */
async function holderOf(api: Api, permissionSet: string | undefined, userId: string | undefined): Promise<string | undefined> {
  const which =
    permissionSet !== undefined
      ? `Name = ${quoted(permissionSet)} AND IsOwnedByProfile = false`
      : userId !== undefined && isId(userId)
        ? `IsOwnedByProfile = true AND ProfileId IN (SELECT ProfileId FROM User WHERE Id = ${quoted(userId)})`
        : undefined
  if (which === undefined) return undefined
  const [found] = await api.everything(`SELECT Id FROM PermissionSet WHERE ${which}`)
  return found?.Id
}

const OBJECT_RIGHTS = { PermissionsRead: true, PermissionsCreate: true, PermissionsEdit: true, PermissionsDelete: true }

/** Grants the service's user an object and its fields: new ones are granted to no user. */
export async function permit(
  api: Api,
  writes: Writes,
  object: string,
  fields: readonly string[],
  who: { readonly permissionSet: string | undefined; readonly userId: string | undefined },
): Promise<void> {
  const ParentId = await holderOf(api, who.permissionSet, who.userId)
  if (ParentId === undefined) throw unseen(object)
  const [objects] = await writes.create([{ table: { object: 'ObjectPermissions', fields: {} }, body: { ParentId, SobjectType: object, ...OBJECT_RIGHTS } }])
  const made = await writes.create(
    fields.map((field) => ({
      table: { object: 'FieldPermissions', fields: {} },
      body: { ParentId, SobjectType: object, Field: `${object}.${field}`, PermissionsRead: true, PermissionsEdit: true },
    })),
  )
  const wrong = [objects, ...made].find((result) => result instanceof DriverError && result.code !== 'conflict')
  if (wrong instanceof DriverError) throw unseen(object, wrong)
}

const unseen = (object: string, cause?: DriverError) =>
  new DriverError('forbidden', `${object} was made in Salesforce, but we may not see it${cause ? `: ${cause.message}` : '.'}`, {
    hint: 'Give the user the permission “Manage Profiles and Permission Sets”, or name a permission set in the option `permissionSet` and grant it there.',
    cause,
  })
