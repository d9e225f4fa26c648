import { CrmError, type Fault } from '../../contract/errors.ts'
import { Connection } from '../../contract/records/connection.ts'
import type { TokenStore } from '../../platforms/platform.ts'
import { refuse } from '../call/check.ts'
import { findRecords } from '../call/records.ts'
import type { Context } from '../call/types.ts'
import type { Service } from '../service.ts'
import type { AccountSettings, Accounts } from './accounts.ts'
import type { StoredConnection } from './settings.ts'
import { BY_ID, IN_USE } from './switching.ts'

export function accountsOf({ accounts }: Service): Accounts {
  if (accounts) return accounts
  throw new CrmError('unsupported', 'This service opens no accounts of CRMs at run time.')
}

/** Refuses settings with faults, all of them at once. Nothing is sent. */
export async function refuseFaults({ service, operation }: Context, settings: AccountSettings, at: string): Promise<void> {
  if (service.vault.sealingKey() === undefined)
    throw new CrmError('unsupported', 'There is no key to seal the secrets of a connection with.', {
      hint: 'Give all services of the store the same CRM_SECRET_KEYS, such as one of: openssl rand -base64 32',
    })
  const faults = await accountsOf(service).faultsOf(settings)
  if (faults.length > 0)
    throw refuse(
      operation,
      faults.map((fault) => ({ ...fault, field: `${at}${fault.field}` })),
    )
}

/** Signs in and looks at the account, before anything is kept. Resolves to how the CRM names it. */
export async function tryAccount(context: Context, settings: AccountSettings, tokens: TokenStore | undefined, at: string): Promise<string | null> {
  try {
    const platform = await accountsOf(context.service).open({ ...settings, tokens, onSignIn: undefined })
    await platform.close()
    return platform.account ?? null
  } catch (error) {
    throw refusedBy(context, error, `${at}Secrets`)
  }
}

/** A refusal by the CRM, and an address at which it is not, as a fault of the input; any other error as it is. */
export function refusedBy({ operation }: Context, error: unknown, field: string): unknown {
  if (!(error instanceof CrmError)) return error
  const { code, message, hint } = error
  const elsewhere = error.errors?.filter((fault) => fault.field === 'Address') ?? []
  if (code !== 'unauthenticated' && elsewhere.length === 0) return error
  const errors: readonly Fault[] = elsewhere.length > 0 ? elsewhere : [{ field, code: 'value', message }]
  return new CrmError('invalid_input', `${operation.name}: ${message}`, { errors, ...(hint !== undefined && { hint }) })
}

/** The journal and the ids of records belong to one account. */
export function refuseOtherAccount({ Account, Platform }: StoredConnection, account: string | null): void {
  if (Account === null || account === null || account === Account) return
  throw new CrmError('conflict', `This is the ${Platform} account ${account}, and the connection is that of ${Account}.`, {
    hint: 'Sign in to the same account, or create another connection for this one.',
  })
}

/** An account has no workspaces inside, so that two workspaces in it would show and change the records of each other. */
export async function refuseSharedAccount({ service: { store }, caller }: Context, platform: string, account: string | null): Promise<void> {
  if (account === null) return
  for (const number of await store.workspacesWith(Connection.name)) {
    if (number === caller.workspace.number) continue
    const others = await findRecords(store.reader(number), Connection, { where: IN_USE, order: BY_ID, limit: 10 })
    if (others.some((other) => other.Platform === platform && other.Account === account))
      throw new CrmError('conflict', `Another workspace is connected to the ${platform} account ${account}.`, {
        hint: 'Give each workspace an account of its own.',
      })
  }
}
