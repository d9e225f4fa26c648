import { CrmError, type Fault } from '../../contract/errors.ts'
import { Connection, ConnectionToken } from '../../contract/records/connection.ts'
import type { StoredRecord, Tokens, Writer } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { openField, sealed } from '../access/sealed-records.ts'
import { refuse } from '../call/check.ts'
import { findRecords, getRecord, newRecord, nextRevision, shown } from '../call/records.ts'
import type { CheckedCall, Context, Prepared } from '../call/types.ts'
import type { AccountSettings, Accounts } from '../connections/accounts.ts'
import { type AuthorizationState, authorizationAddress, authorizationOf, connectLink } from '../connections/authorization.ts'
import { hasTokens, REFRESH_TOKEN, type StoredConnection, secretsOf, settingsOf } from '../connections/settings.ts'
import { putTokens, tokensInMemory } from '../connections/tokens.ts'
import { changeTo, type RecordChange } from '../journal/changes.ts'
import type { Service } from '../service.ts'
import { checkRevision, visible } from './context.ts'

type Secrets = { readonly [name: string]: string }

/** What a connection is tried with, and what it is stored with. */
interface Tried {
  readonly account: string | null
  /** The tokens that it signs in with from now on. */
  readonly tokens: Tokens | undefined
}

const PENDING = {
  State: 'pending',
  Reason: 'It has not been allowed in yet.',
  Advice: 'Open the link of authorize_connection in a browser, or run crm connect.',
} as const

export async function createConnection(context: Context): Promise<Prepared> {
  const { service, input } = context
  const { SignIn = 'secrets', InUse = true } = input as { SignIn?: 'secrets' | 'browser'; InUse?: boolean }
  const secrets = (input.Secrets ?? {}) as Secrets
  const settings = settingsIn(input, secrets)
  await refuseFaults(context, settings, '')
  const tried = SignIn === 'secrets' ? await tryAccount(context, settings, refreshTokenIn(secrets), '') : undefined
  if (tried) await refuseSharedAccount(context, String(input.Platform), tried.account)
  return {
    on: Connection,
    async work(writer) {
      await writer.lockWorkspace()
      const { id, at } = writer.newId()
      const connection = newRecord(
        Connection,
        { id, at },
        {
          ...input,
          SignIn,
          InUse,
          ...secretFields(secrets),
          ...(tried ? { State: 'connected', Account: tried.account, ConnectedDate: writer.now() } : PENDING),
        },
      )
      await writer.create(Connection.name, sealed(context, writer, Connection, connection))
      if (tried?.tokens) await putTokens(service, writer, context.caller.workspace.number, id, tried.tokens)
      const also = tried && InUse ? await useAlone(writer, id) : []
      return { answer: shown(Connection, connection), change: changeTo(Connection, 'created', null, connection), also }
    },
  }
}

export async function updateConnection(context: Context): Promise<Prepared> {
  const { service, caller, input } = context
  const changes = input.FieldsToUpdate as StoredRecord & { readonly Secrets?: Secrets; readonly InUse?: boolean }
  const before = await visible(service.store.reader(caller.workspace.number), context, Connection)
  refuseConfigured(before)
  const opensAnew = ['Address', 'Options', 'Tables', 'Secrets'].some((name) => name in changes)
  // Another app or another address has granted nothing yet.
  const asksAgain = before.SignIn === 'browser' && ('Address' in changes || 'Secrets' in changes)
  const secrets = changes.Secrets ?? secretsOf(service, caller.workspace.number, before)
  const settings = settingsIn({ ...before, ...changes }, secrets)
  if (opensAnew) await refuseFaults(context, settings, 'FieldsToUpdate.')
  const tried = opensAnew && before.SignIn === 'secrets' ? await tryAccount(context, settings, refreshTokenIn(secrets), 'FieldsToUpdate.') : undefined
  if (tried) {
    refuseOtherAccount(before, tried.account, 'Address' in changes)
    await refuseSharedAccount(context, before.Platform, tried.account)
  }
  return {
    on: Connection,
    async work(writer) {
      await writer.lockWorkspace()
      const connection = await visible(writer, context, Connection)
      checkRevision(service.store, connection, Connection, input.IfRevision)
      if (connection.Generation !== before.Generation)
        throw new CrmError('conflict', 'The connection was changed by another call at the same time.', { hint: 'Read it again, and repeat the change.' })
      const { Secrets: _, ...plain } = changes
      const applied: StoredRecord = {
        ...plain,
        ...(changes.Secrets && secretFields(changes.Secrets)),
        ...(opensAnew && { Generation: connection.Generation + 1 }),
        ...(asksAgain && { ...PENDING, ConnectedDate: null, Account: null }),
        ...(tried && { State: 'connected', Reason: null, Advice: null, Account: tried.account, ConnectedDate: writer.now() }),
        ...nextRevision(connection, writer.now()),
      }
      const id = connection.ConnectionID
      await writer.update(Connection.name, id, sealed(context, writer, Connection, applied, id))
      if (asksAgain) await dropTokens(writer, id)
      if (tried?.tokens) await putTokens(service, writer, caller.workspace.number, id, tried.tokens)
      const after = { ...connection, ...applied } as StoredConnection
      const also =
        changes.InUse === false || asksAgain ? await useConfigured(writer) : after.InUse && after.ConnectedDate !== null ? await useAlone(writer, id) : []
      return {
        answer: { ...shown(Connection, after), UpdatedFields: Object.keys(changes) },
        change: changeTo(Connection, connection.State === 'broken' && tried ? 'restored' : 'updated', connection, after),
        also,
      }
    },
  }
}

export async function testConnection(context: Context): Promise<unknown> {
  const { service, caller } = context
  const connection = await visible(service.store.reader(caller.workspace.number), context, Connection)
  const findings: object[] = []
  let isGood = true
  if (connection.SignIn === 'browser' && connection.ConnectedDate === null) {
    isGood = false
    findings.push({ Name: 'Sign-in', Good: false, Checked: true, Text: PENDING.Reason, Advice: PENDING.Advice })
  } else
    for await (const { name, good, checked, text, advice = null } of accountsOf(service).examine(settingsOf(service, caller.workspace.number, connection))) {
      isGood &&= good || !checked
      findings.push({ Name: name, Good: good, Checked: checked, Text: text, Advice: advice })
    }
  return { ConnectionID: connection.ConnectionID, Good: isGood, Findings: findings }
}

export async function authorizeConnection(context: CheckedCall): Promise<unknown> {
  const { service, caller, input, call } = context
  const { ConnectionID } = await visible(service.store.reader(caller.workspace.number), context, Connection)
  const asked = { workspace: caller.workspace.number, connectionId: ConnectionID, userId: caller.userId }
  await authorizationOf(service, asked)
  const { link, expires } =
    input.RedirectURI === undefined
      ? connectLink(service, asked, publicUrlOf(context, call.publicUrl))
      : await authorizationAddress(service, asked, loopback(context, String(input.RedirectURI)))
  return { ConnectionID, Link: link, ExpiresDate: expires }
}

/** Exchanges the code, looks at the account, and stores the tokens. A state and a code can be used once. */
export async function completeConnection(context: CheckedCall): Promise<Prepared> {
  const { service, caller, input, call } = context
  if (call.dryRun) throw new CrmError('unsupported', 'A code can be used once, so that this has no dry run.')
  const state = await service.tickets.redeem<AuthorizationState>('connect state', String(input.State))
  if (state?.workspace !== caller.workspace.number) throw refuse(context.operation, [STATE_FAULT])
  const { connection: before, authorization } = await authorizationOf(service, state)
  const { redirectUri, verifier } = state
  const granted = await authorization.exchange({ redirectUri, verifier, code: String(input.Code) }).catch((error) => {
    throw refusedBy(context, error, 'Code')
  })
  const tried = await tryAccount(context, settingsOf(service, state.workspace, before), granted, '')
  refuseOtherAccount(before, tried.account)
  await refuseSharedAccount(context, before.Platform, tried.account)
  return {
    on: Connection,
    async work(writer) {
      await writer.lockWorkspace()
      const connection = await getRecord(writer, Connection, state.connectionId)
      if (!connection) throw new CrmError('not_found', 'The connection has been deleted.')
      const id = connection.ConnectionID
      const applied: StoredRecord = {
        State: 'connected',
        Reason: null,
        Advice: null,
        Account: tried.account,
        ConnectedDate: writer.now(),
        Generation: connection.Generation + 1,
        ...nextRevision(connection, writer.now()),
      }
      await putTokens(service, writer, state.workspace, id, tried.tokens ?? granted)
      await writer.update(Connection.name, id, applied)
      const after = { ...connection, ...applied } as StoredConnection
      const also = after.InUse ? await useAlone(writer, id) : []
      return {
        answer: shown(Connection, after),
        change: changeTo(Connection, connection.State === 'broken' ? 'restored' : 'connected', connection, after),
        also,
      }
    },
  }
}

export async function deleteConnection(context: CheckedCall): Promise<Prepared> {
  const { service, caller, input, call } = context
  const before = await visible(service.store.reader(caller.workspace.number), context, Connection)
  refuseConfigured(before)
  checkRevision(service.store, before, Connection, input.IfRevision)
  if (!call.dryRun) await giveTokensBack(service, caller.workspace.number, before)
  return {
    on: Connection,
    async work(writer) {
      await writer.lockWorkspace()
      const connection = await visible(writer, context, Connection)
      checkRevision(service.store, connection, Connection, input.IfRevision)
      const id = connection.ConnectionID
      await dropTokens(writer, id)
      await writer.delete(Connection.name, id)
      const also = connection.InUse ? await useConfigured(writer) : []
      return { answer: { ConnectionID: id, Deleted: true }, change: changeTo(Connection, 'deleted', connection, null), also }
    },
  }
}

function accountsOf({ accounts }: Service): Accounts {
  if (accounts) return accounts
  throw new CrmError('unsupported', 'This service opens no accounts of CRMs at run time.')
}

function settingsIn(given: { readonly [name: string]: unknown }, secrets: Secrets): AccountSettings {
  return {
    platform: String(given.Platform),
    address: (given.Address ?? null) as string | null,
    options: (given.Options ?? {}) as AccountSettings['options'],
    tables: (given.Tables ?? null) as AccountSettings['tables'],
    secrets,
    browser: given.SignIn === 'browser',
  }
}

const refreshTokenIn = (secrets: Secrets): Tokens | undefined =>
  secrets[REFRESH_TOKEN] === undefined ? undefined : { accessToken: '', refreshToken: secrets[REFRESH_TOKEN], expires: 0 }

/** The secrets as they are stored. The refresh token is kept with the tokens, since the CRM may replace it. */
function secretFields({ [REFRESH_TOKEN]: refreshToken, ...secrets }: Secrets): { readonly Secrets: string; readonly SecretNames: string[] } {
  return { Secrets: JSON.stringify(secrets), SecretNames: [...Object.keys(secrets), ...(refreshToken === undefined ? [] : [REFRESH_TOKEN])] }
}

async function refuseFaults({ service, operation }: Context, settings: AccountSettings, at: string): Promise<void> {
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

/** Signs in and looks at the account, before anything is kept. */
async function tryAccount(context: Context, settings: AccountSettings, tokens: Tokens | undefined, at: string): Promise<Tried> {
  const memory = tokens && tokensInMemory(tokens)
  try {
    const platform = await accountsOf(context.service).open({ ...settings, tokens: memory, onSignIn: undefined })
    await platform.close()
    return { account: platform.account ?? null, tokens: memory?.newest() }
  } catch (error) {
    throw refusedBy(context, error, `${at}Secrets`)
  }
}

/** A refusal by the CRM as a fault of the input; any other error as it is. */
function refusedBy({ operation }: Context, error: unknown, field: string): unknown {
  if (!(error instanceof CrmError) || error.code !== 'unauthenticated') return error
  const { message, hint } = error
  return new CrmError('invalid_input', `${operation.name}: ${message}`, { errors: [{ field, code: 'value', message }], ...(hint !== undefined && { hint }) })
}

const STATE_FAULT: Fault = {
  field: 'State',
  code: 'value',
  message: 'This authorization is unknown, has expired or was completed already.',
  expected: 'the parameter state, as the CRM has sent it back',
}

function refuseConfigured({ Configured }: StoredConnection): void {
  if (Configured)
    throw new CrmError('conflict', 'This connection comes from the configuration file and the environment, and can be changed only there.', {
      hint: 'Create another with create_connection; while it is in use, the configured one is not.',
    })
}

/** The journal and the ids of records belong to one account. */
function refuseOtherAccount({ Account, Platform }: StoredConnection, account: string | null, moved = false): void {
  if (moved || Account === null || account === null || account === Account) return
  throw new CrmError('conflict', `This is the ${Platform} account ${account}, and the connection is that of ${Account}.`, {
    hint: 'Sign in to the same account, or create another connection for this one.',
  })
}

/** An account has no workspaces inside, so that two workspaces in it would show and change the records of each other. */
async function refuseSharedAccount({ service: { store }, caller }: Context, platform: string, account: string | null): Promise<void> {
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

const BY_ID = { field: Connection.id, descending: false } as const
const IN_USE = [{ field: 'InUse', family: 'boolean', operator: 'eq', value: true }] as const

/** Makes this the only connection in use, from now on. */
async function useAlone(writer: StoreWriter, id: string): Promise<RecordChange[]> {
  const others = (await findRecords(writer, Connection, { where: IN_USE, order: BY_ID, limit: 100 })).filter((one) => one.ConnectionID !== id)
  const changes: RecordChange[] = []
  for (const other of others) changes.push(await setInUse(writer, other, false))
  return changes
}

/** Where no other connection is used, the configured one is again. */
async function useConfigured(writer: StoreWriter): Promise<RecordChange[]> {
  const where = [{ field: 'Configured', family: 'boolean', operator: 'eq', value: true }] as const
  const [configured] = await findRecords(writer, Connection, { where, order: BY_ID, limit: 1 })
  return configured && !configured.InUse ? [await setInUse(writer, configured, true)] : []
}

async function setInUse(writer: StoreWriter, connection: StoredConnection, inUse: boolean): Promise<RecordChange> {
  const applied = { InUse: inUse, ...nextRevision(connection, writer.now()) }
  await writer.update(Connection.name, connection.ConnectionID, applied)
  return changeTo(Connection, 'updated', connection, { ...connection, ...applied })
}

async function dropTokens(writer: Writer, id: string): Promise<void> {
  if (await getRecord(writer, ConnectionToken, id)) await writer.delete(ConnectionToken.name, id)
}

/** A token that the CRM does not take back expires by itself, or is removed there: the delete goes on. */
async function giveTokensBack(service: Service, workspace: number, connection: StoredConnection): Promise<void> {
  if (!hasTokens(connection)) return
  try {
    const stored = await getRecord(service.store.reader(workspace), ConnectionToken, connection.ConnectionID)
    const authorization = stored && (await service.accounts?.authorization(settingsOf(service, workspace, connection)))
    if (authorization) await authorization.revoke(JSON.parse(openField(service.vault, workspace, ConnectionToken, stored, 'Tokens')) as Tokens)
  } catch {}
}

function publicUrlOf({ service }: Context, asked: (() => string) | undefined): string {
  const url = service.publicUrl ?? asked?.()
  if (url !== undefined) return url
  throw new CrmError('unsupported', 'There is no address at which a browser would reach the service.', {
    hint: 'Give CRM_PUBLIC_URL, run crm connect, or give a RedirectURI on this machine.',
  })
}

/** Codes are sent to this machine alone, or to the service itself. */
function loopback({ operation }: Context, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isLocal = url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname) && `${url.search}${url.hash}${url.username}` === ''
  if (isLocal) return address
  const message = 'RedirectURI must be an address on this machine.'
  throw refuse(operation, [{ field: 'RedirectURI', code: 'form', message, expected: 'an address such as http://127.0.0.1:8488/callback' }])
}
