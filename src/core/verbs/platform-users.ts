import { CrmError } from '../../contract/errors.ts'
import { quoted } from '../../contract/visible-text.ts'
import type { Context, Input } from '../call/types.ts'

/**
 * The fields of a user, with PlatformUserID as the CRM writes it. Refused where the CRM has no such active user: every create of this user would be
 * refused later, or belong to another.
 */
export async function withPlatformUser<T extends Input>({ binding: { platform } }: Context, fields: T, prefix = ''): Promise<T> {
  const { PlatformUserID } = fields
  if (typeof PlatformUserID !== 'string' || !platform.findUser) return fields
  const found = await platform.findUser(PlatformUserID)
  if (found !== undefined) return { ...fields, PlatformUserID: found }
  const message = `${platform.name} has no active user with the id ${quoted(PlatformUserID)}.`
  throw new CrmError('invalid_input', message, {
    errors: [{ field: `${prefix}PlatformUserID`, code: 'not_found', message, expected: `the id of an active user of ${platform.name}` }],
  })
}
