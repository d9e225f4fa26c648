import { CrmError } from '../../contract/errors.ts'
import { Connection } from '../../contract/records/connection.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import { refuse } from '../call/check.ts'
import type { Context } from '../call/types.ts'
import type { Service } from '../service.ts'
import { visible } from '../verbs/context.ts'
import { enteredSecrets, hasTokens, type Secrets, type StoredConnection, secretsOf, settingsIn } from './settings.ts'
import { givenTokens, renewedFirst, tokenStore } from './tokens.ts'
import { refuseFaults, refuseOtherAccount, refuseSharedAccount, tryAccount } from './trial.ts'

/** A change of a connection that may be made: everything that decides how to sign in has been tried, unless a person has to allow it first. */
export async function checkedUpdate(context: Context) {
  const { service, caller, input } = context
  const { number } = caller.workspace
  const { Secrets: entered, ...plain } = input.FieldsToUpdate as StoredRecord & { readonly Secrets?: Secrets; readonly InUse?: boolean }
  const before = await visible(service.store.reader(number), context, Connection)
  refuseConfigured(before)
  const isBrowser = before.SignIn === 'browser'
  const kept = secretsThatOpen(service, number, before)
  // The app that a person has allowed in stays the same unless another is named.
  const app: Secrets = isBrowser && kept?.clientId !== undefined ? { clientId: kept.clientId } : {}
  const changes: typeof plain & { readonly Secrets?: Secrets } = entered ? { ...plain, Secrets: { ...app, ...enteredSecrets(entered) } } : plain
  const secrets = changes.Secrets ?? kept ?? {}
  const opensAnew = ['Options', 'Tables', 'Secrets'].some((name) => name in changes)
  // Another app has been granted nothing yet.
  const asksAgain = isBrowser && kept !== undefined && secrets.clientId !== kept.clientId
  if (asksAgain && before.InUse)
    throw new CrmError('conflict', 'This connection is in use, and another app has been granted nothing yet.', {
      hint: 'Stop using it first, with InUse: false, or create another connection with that app.',
    })
  refuseElsewhere(context, before, changes, asksAgain)
  const settings = settingsIn({ ...before, ...changes }, secrets)
  if (opensAnew) await refuseFaults(context, settings, 'FieldsToUpdate.')
  // One that is broken, or whose secrets were lost, is tried when a person has connected it again.
  const isGranted = isBrowser && kept !== undefined && before.State === 'connected' && !asksAgain
  const isTried = opensAnew && (isGranted || !isBrowser)
  const tokens = changes.Secrets && givenTokens(changes.Secrets)
  const stored = hasTokens(before) ? tokenStore(service, number, before.ConnectionID) : undefined
  const used = changes.Secrets ? (tokens ?? (isGranted && stored ? renewedFirst(stored) : undefined)) : stored
  const account = isTried ? await tryAccount(context, settings, used, 'FieldsToUpdate.') : null
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

/** Stored secrets and tokens are sent to the addresses that they were given for: other ones need them again. */
function refuseElsewhere({ operation }: Context, before: StoredConnection, { Options, Secrets }: StoredRecord, asksAgain: boolean): void {
  const addressesIn = (options: unknown) =>
    Object.entries(Object(options) as Secrets)
      .filter(([, value]) => /^https?:/i.test(value))
      .sort()
      .join()
  if (Options === undefined || addressesIn(Options) === addressesIn(before.Options)) return
  if (before.SignIn === 'browser' && before.ConnectedDate !== null && !asksAgain)
    throw new CrmError('conflict', 'The tokens of this connection were granted at another address, and are not sent to this one.', {
      hint: 'Create another connection for that address.',
    })
  if (Secrets !== undefined || before.SecretNames.length === 0) return
  const message = 'Secrets have to be given again, since they would be sent to another address.'
  throw refuse(operation, [{ field: 'FieldsToUpdate.Secrets', code: 'required', message, expected: before.SecretNames.join(', ') }])
}

/** Undefined where they do not open: they can then be replaced without being known. */
function secretsThatOpen(service: Service, workspace: number, connection: StoredConnection): Secrets | undefined {
  try {
    return secretsOf(service, workspace, connection)
  } catch (error) {
    if (error instanceof CrmError) return undefined
    throw error
  }
}
