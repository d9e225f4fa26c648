import { CrmError, type Fault } from '../../contract/errors.ts'
import { Connection } from '../../contract/records/connection.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import { sealed } from '../access/sealed-records.ts'
import { refuse } from '../call/check.ts'
import { getRecord, hasValues, newRecord, nextRevision, shown } from '../call/records.ts'
import type { CheckedCall, Context, Prepared } from '../call/types.ts'
import {
  type AuthorizationState,
  askedByLink,
  authorizationAddress,
  authorizationOf,
  connectLink,
  loopback,
  publicUrlOf,
  redeemLink,
} from '../connections/authorization.ts'
import { givingTokensBack } from '../connections/give-back.ts'
import { enteredSecrets, type StoredConnection, secretFields, settingsIn, settingsOf } from '../connections/settings.ts'
import { usage, useAlone, useConfigured } from '../connections/switching.ts'
import { dropTokens, givenTokens, putTokens, tokensInMemory } from '../connections/tokens.ts'
import { accountsOf, refusedBy, refuseFaults, refuseOtherAccount, refuseSharedAccount, tryAccount } from '../connections/trial.ts'
import { checkedUpdate, refuseConfigured } from '../connections/update.ts'
import { changeTo } from '../journal/changes.ts'
import { leaveMirror } from '../watch/left.ts'
import { mirrorState } from '../watch/state.ts'
import { checkRevision, visible } from './context.ts'

const PENDING = {
  State: 'pending',
  Reason: 'It has not been allowed in yet.',
  Advice: 'Open the link of authorize_connection in a browser, or run crm connect.',
} as const

export async function createConnection(context: Context): Promise<Prepared> {
  const { service, input } = context
  const { SignIn = 'secrets', InUse = true } = input as { SignIn?: 'secrets' | 'browser'; InUse?: boolean }
  const secrets = enteredSecrets(input.Secrets)
  const settings = settingsIn(input, secrets)
  await refuseFaults(context, settings, '')
  const isTried = SignIn === 'secrets'
  const tokens = givenTokens(secrets)
  const account = isTried ? await tryAccount(context, settings, tokens, '') : null
  await refuseSharedAccount(context, String(input.Platform), account)
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
          ...usage(InUse, isTried),
          ...secretFields(secrets),
          ...(isTried ? { State: 'connected', Account: account, ConnectedDate: writer.now() } : PENDING),
        },
      )
      await writer.create(Connection.name, sealed(context, writer, Connection, connection))
      if (tokens) await putTokens(service, writer, context.caller.workspace.number, id, tokens.newest())
      const also = isTried && InUse ? await useAlone(writer, id) : []
      return { answer: shown(Connection, connection), change: changeTo(Connection, 'created', null, connection), also }
    },
  }
}

export async function updateConnection(context: Context): Promise<Prepared> {
  const { service, caller, input } = context
  const { before, changes, plain, opensAnew, asksAgain, isTried, tokens, account } = await checkedUpdate(context)
  return {
    on: Connection,
    async work(writer) {
      await writer.lockWorkspace()
      const connection = await visible(writer, context, Connection)
      checkRevision(service.store, connection, Connection, input.IfRevision)
      if (connection.Generation !== before.Generation)
        throw new CrmError('conflict', 'The connection was changed by another call at the same time.', { hint: 'Read it again, and repeat the change.' })
      const values: StoredRecord = {
        ...plain,
        ...(changes.InUse !== undefined && usage(changes.InUse, !asksAgain && connection.ConnectedDate !== null)),
        ...(changes.Secrets && secretFields(changes.Secrets)),
        ...(opensAnew && { Generation: connection.Generation + 1 }),
        ...(asksAgain && { ...PENDING, ConnectedDate: null, Account: null }),
        ...(isTried && { State: 'connected', Reason: null, Advice: null, Account: account, ConnectedDate: writer.now() }),
      }
      if (hasValues(connection, values)) return { answer: { ...shown(Connection, connection), UpdatedFields: [] } }
      const applied = { ...values, ...nextRevision(connection, writer.now()) }
      const id = connection.ConnectionID
      await writer.update(Connection.name, id, sealed(context, writer, Connection, applied, id))
      if (tokens) await putTokens(service, writer, caller.workspace.number, id, tokens.newest())
      else if (asksAgain || (changes.Secrets && before.SignIn === 'secrets')) await dropTokens(writer, id)
      const after = { ...connection, ...applied } as StoredConnection
      const also = connection.InUse && !after.InUse ? await useConfigured(writer) : changes.InUse && after.InUse ? await useAlone(writer, id) : []
      return {
        answer: { ...shown(Connection, after), UpdatedFields: Object.keys(changes) },
        change: changeTo(Connection, connection.State === 'broken' && isTried ? 'restored' : 'updated', connection, after),
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

export const getMirror = ({ service, caller, binding }: CheckedCall): Promise<unknown> => mirrorState(service, caller.workspace.number, binding)

export async function authorizeConnection(context: CheckedCall): Promise<unknown> {
  const { service, caller, input, call } = context
  const { ConnectionID } = await visible(service.store.reader(caller.workspace.number), context, Connection)
  const asked = { workspace: caller.workspace.number, connectionId: ConnectionID, userId: caller.userId }
  await authorizationOf(service, asked)
  const { link, expires } =
    input.RedirectURI === undefined
      ? connectLink(service, asked, publicUrlOf(service, call.publicUrl))
      : await authorizationAddress(service, asked, loopback(context, String(input.RedirectURI)))
  return { ConnectionID, Link: link, ExpiresDate: expires }
}

/** Exchanges the code, looks at the account, and stores the tokens. A state and a code can be used once; a link stays usable until it has succeeded. */
export async function completeConnection(context: CheckedCall): Promise<Prepared> {
  const { service, caller, input, call } = context
  if (call.dryRun) throw new CrmError('unsupported', 'A code can be used once, so that this has no dry run.')
  const state = await service.tickets.redeem<AuthorizationState>('connect state', String(input.State))
  if (state?.workspace !== caller.workspace.number) throw refuse(context.operation, [STATE_FAULT])
  const { redirectUri, verifier, ticket } = state
  if (ticket !== undefined) await askedByLink(service, ticket)
  const { connection: before, authorization } = await authorizationOf(service, state)
  const granted = await authorization.exchange({ redirectUri, verifier, code: String(input.Code) }).catch((error) => {
    throw refusedBy(context, error, 'Code')
  })
  const tokens = tokensInMemory(granted)
  const account = await tryAccount(context, settingsOf(service, state.workspace, before), tokens, '')
  refuseOtherAccount(before, account)
  await refuseSharedAccount(context, before.Platform, account)
  await redeemLink(service, state)
  return {
    on: Connection,
    async work(writer) {
      await writer.lockWorkspace()
      const connection = await getRecord(writer, Connection, state.connectionId)
      if (!connection) throw new CrmError('not_found', 'The connection has been deleted.')
      const id = connection.ConnectionID
      const applied: StoredRecord = {
        ...usage(connection.InUse || connection.UseWhenConnected === true, true),
        State: 'connected',
        Reason: null,
        Advice: null,
        Account: account,
        ConnectedDate: writer.now(),
        Generation: connection.Generation + 1,
        ...nextRevision(connection, writer.now()),
      }
      await putTokens(service, writer, state.workspace, id, tokens.newest())
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

export async function deleteConnection(context: Context): Promise<Prepared> {
  const { service, caller, input } = context
  const before = await visible(service.store.reader(caller.workspace.number), context, Connection)
  refuseConfigured(before)
  checkRevision(service.store, before, Connection, input.IfRevision)
  return {
    on: Connection,
    afterCommit: await givingTokensBack(service, caller.workspace.number, before),
    async work(writer) {
      await writer.lockWorkspace()
      const connection = await visible(writer, context, Connection)
      checkRevision(service.store, connection, Connection, input.IfRevision)
      const id = connection.ConnectionID
      await dropTokens(writer, id)
      await writer.delete(Connection.name, id)
      const also = connection.InUse ? await useConfigured(writer) : []
      // Where the configuration has the same account, its mirror is used on.
      if (connection.InUse && !also.some(({ after }) => after?.Account && after.Account === connection.Account)) await leaveMirror(writer)
      return { answer: { ConnectionID: id, Deleted: true }, change: changeTo(Connection, 'deleted', connection, null), also }
    },
  }
}

const STATE_FAULT: Fault = {
  field: 'State',
  code: 'value',
  message: 'This authorization is unknown, has expired or was completed already.',
  expected: 'the parameter state, as the CRM has sent it back',
}
