import { CrmError } from '../../contract/errors.ts'
import { Connection } from '../../contract/records/connection.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import { refuse } from '../call/check.ts'
import type { Context } from '../call/types.ts'
import type { Service } from '../service.ts'
import { visible } from '../verbs/context.ts'
import { enteredSecrets, type Secrets, type StoredConnection, secretsOf, settingsIn, settingsOf } from './settings.ts'
import { givenTokens } from './tokens.ts'
import { refuseFaults, refuseOtherAccount, refuseSharedAccount, tryAccount } from './trial.ts'

/** A change of a connection that may be made: everything that decides how to sign in has been tried. */
export async function checkedUpdate(context: Context) {
  const { service, caller, input } = context
  const { Secrets: entered, ...plain } = input.FieldsToUpdate as StoredRecord & { readonly Secrets?: Secrets; readonly InUse?: boolean }
  const changes: typeof plain & { readonly Secrets?: Secrets } = entered ? { ...plain, Secrets: enteredSecrets(entered) } : plain
  const before = await visible(service.store.reader(caller.workspace.number), context, Connection)
  refuseConfigured(before)
  const opensAnew = ['Options', 'Tables', 'Secrets'].some((name) => name in changes)
  if (changes.Secrets === undefined) refuseElsewhere(context, before, changes.Options)
  const kept = secretsOrNone(service, caller.workspace.number, before)
  const secrets = changes.Secrets ?? kept
  // Another app has been granted nothing yet.
  const asksAgain = before.SignIn === 'browser' && secrets.clientId !== kept.clientId
  const settings = settingsIn({ ...before, ...changes }, secrets)
  if (asksAgain && before.InUse && before.ConnectedDate !== null)
    throw new CrmError('conflict', 'This connection is in use, and another app has been granted nothing yet.', {
      hint: 'Stop using it first, with InUse: false, or create another connection with that app.',
    })
  if (opensAnew) await refuseFaults(context, settings, 'FieldsToUpdate.')
  const isTried = opensAnew && before.SignIn === 'secrets'
  const tokens = changes.Secrets && givenTokens(changes.Secrets)
  const stored = changes.Secrets ? undefined : settingsOf(service, caller.workspace.number, before).tokens
  const account = isTried ? await tryAccount(context, settings, tokens ?? stored, 'FieldsToUpdate.') : null
  refuseOtherAccount(before, account)
  await refuseSharedAccount(context, before.Platform, account)
  return { before, changes, plain, opensAnew, asksAgain, isTried, tokens, account }
}

export function refuseConfigured({ Configured }: StoredConnection): void {
  if (Configured)
    throw new CrmError('conflict', 'This connection comes from the configuration file and the environment, and can be changed only there.', {
      hint: 'Create another with create_connection; while it is in use, the configured one is not.',
    })
}

/** Stored secrets are sent to the addresses that they were given for: other ones need them again. */
function refuseElsewhere({ operation }: Context, { Options, SecretNames }: StoredConnection, options: unknown): void {
  const addressesIn = (options: unknown) =>
    Object.entries(Object(options) as Secrets)
      .filter(([, value]) => /^https?:/i.test(value))
      .sort()
      .join()
  if (options === undefined || SecretNames.length === 0 || addressesIn(options) === addressesIn(Options)) return
  const message = 'Secrets have to be given again, since they would be sent to another address.'
  throw refuse(operation, [{ field: 'FieldsToUpdate.Secrets', code: 'required', message, expected: SecretNames.join(', ') }])
}

/** Secrets that do not open are replaced without being known. */
function secretsOrNone(service: Service, workspace: number, connection: StoredConnection): Secrets {
  try {
    return secretsOf(service, workspace, connection)
  } catch (error) {
    if (error instanceof CrmError) return {}
    throw error
  }
}
