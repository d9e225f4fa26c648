import { hash } from 'node:crypto'
import { Key } from '../../contract/records/key.ts'
import { type Confirm, strictest } from '../../contract/records/plan.ts'
import { User } from '../../contract/records/user.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { digestOf, newKey, sameDigest } from '../access/keys.ts'
import type { Tickets } from '../access/tickets.ts'
import { getRecord, newRecord, nextRevision, type RecordOf } from '../call/records.ts'
import { type By, changeTo, lineOf } from '../journal/changes.ts'
import type { Caller, Service } from '../service.ts'
import type { AuthorizationRequest } from './authorization.ts'
import type { Presenter } from './clients.ts'
import { OAuthError } from './errors.ts'
import { refuseBeyond } from './scopes.ts'

const CODE_MS = 60_000
const ACCESS_MS = 3_600_000
const DAY_MS = 86_400_000
/** How long a grant can be renewed; after that the person is asked again. */
const GRANT_MS = 90 * DAY_MS

const REFRESH_PREFIX = 'crm_refresh_'
/** Says the same of a token that is none and of one that another client has, so that tokens cannot be tried out. */
const REFRESH_REFUSED = 'The refresh token is invalid, has expired, or was issued to another client.'

/** What a client is given. */
export interface Issued {
  readonly access: string
  readonly refresh: string | undefined
  readonly expiresIn: number
  readonly scopes: readonly string[]
}

/** What a person has chosen to allow. */
export interface Choice {
  readonly scopes: readonly string[]
  /** How deletes have to be confirmed, where the person's own key requires less. */
  readonly confirm: Confirm | null
}

/** What a token request asks for, at most what was granted. */
export interface Asked {
  readonly scopes?: readonly string[] | undefined
  readonly resource?: string | undefined
  readonly requestId: string
}

export interface Redemption extends Asked {
  readonly code: string
  readonly redirect: string
  readonly verifier: string
}

type KeyRecord = RecordOf<typeof Key>

interface Code {
  readonly workspace: number
  readonly keyId: string
  readonly client: string
  readonly redirect: string
  readonly challenge: string
}

type Refresh = Pick<Code, 'workspace' | 'keyId'>

/**
 * A grant is a key of the kind `token`. Consent creates it; a code and then each refresh token exchange its secret for a new one, so that one grant is one
 * row, and its scopes, its revocation and what the audit says about it are those of a key.
 */
export function createGrants(service: Service, tickets: Tickets) {
  const { store, now } = service
  const later = (ms: number, ...limits: (string | null)[]) =>
    limits.reduce<string>((earliest, limit) => (limit !== null && limit < earliest ? limit : earliest), new Date(now().getTime() + ms).toISOString())

  /** Creates the grant, which cannot be used before its code is redeemed. Resolves to the code. */
  async function grant(
    caller: Caller,
    { client, redirect, challenge, resource }: AuthorizationRequest,
    { scopes, confirm }: Choice,
    requestId: string,
  ): Promise<string> {
    const workspace = caller.workspace.number
    const keyId = await store.write(workspace, async (writer) => {
      const key = newRecord(Key, writer.newId(), {
        UserID: caller.userId,
        Label: client.name,
        Kind: 'token',
        ClientID: client.id,
        Resource: resource,
        Scopes: scopes,
        Confirm: strictest(caller.confirms, confirm),
        ExpiresDate: later(CODE_MS),
        // A session ends when the person leaves; what they have granted goes on. A key that expires cannot grant more time than it has.
        RenewableUntil: later(GRANT_MS, caller.session ? null : caller.expires),
        Digest: digestOf(newKey()),
      })
      await writer.create(Key.name, key)
      await writer.appendAuditLine(lineOf(changeTo(Key, 'created', null, key), by(caller.userId, caller.keyId, 'create_key', requestId)))
      return key.KeyID
    })
    return tickets.issue('oauth code', { workspace, keyId, client: client.id, redirect, challenge } satisfies Code, CODE_MS)
  }

  /** Redeems a code. A second use revokes what the first was given: one of the two has stolen it. */
  async function redeem(client: Presenter, { code, redirect, verifier, ...asked }: Redemption): Promise<Issued> {
    const content = tickets.read<Code>('oauth code', code)
    if (content?.client !== client.id) throw invalid('The code is invalid, has expired, or was issued to another client.')
    if (content.redirect !== redirect) throw invalid('The redirect_uri is not the one that the code was sent to.')
    if (!sameDigest(hash('sha256', verifier, 'base64url'), content.challenge)) throw invalid('The code_verifier does not fit the code_challenge.')
    if (await tickets.redeem('oauth code', code)) return renew(content, client, asked, () => true)
    await revoke(content, asked.requestId)
    throw invalid('The code has been used before. What it has granted was revoked.')
  }

  /** Exchanges a refresh token for new tokens. One that was exchanged before revokes the grant: it has been copied. */
  async function refresh(client: Presenter, token: string, asked: Asked): Promise<Issued> {
    const at = refreshIn(token)
    if (!at) throw invalid(REFRESH_REFUSED)
    const digest = digestOf(token)
    return renew(at, client, asked, ({ RefreshDigest }) => RefreshDigest !== null && sameDigest(RefreshDigest, digest))
  }

  /** Gives a grant new secrets, or revokes it where it is not the latest one that was presented. */
  async function renew(at: Refresh, client: Presenter, { scopes = [], resource, requestId }: Asked, isLatest: (key: KeyRecord) => boolean): Promise<Issued> {
    const outcome = await store.write(at.workspace, async (writer) => {
      const key = await getRecord(writer, Key, at.keyId)
      if (key?.ClientID !== client.id) return REFRESH_REFUSED
      if (key.RevokedDate !== null) return 'The grant has been revoked.'
      const user = (await writer.getForReference(User.name, key.UserID)) as RecordOf<typeof User> | undefined
      if (!user?.Active) return 'The user of the grant is not active.'
      if (!isLatest(key)) {
        await revokeGrant(writer, key, { userId: key.UserID, keyId: key.KeyID }, requestId)
        return 'The refresh token has been used before. The grant was revoked.'
      }
      const until = key.RenewableUntil ?? ''
      if (until <= now().toISOString()) return 'The grant has expired.'
      refuseBeyond(key.Scopes, scopes)
      if (resource !== undefined && resource !== key.Resource) throw new OAuthError('invalid_target', `The grant is for ${key.Resource}.`)
      const access = newKey()
      const content: Refresh = { workspace: at.workspace, keyId: at.keyId }
      const refresh = REFRESH_PREFIX + tickets.issue('oauth refresh', content, Date.parse(until) - now().getTime())
      const ExpiresDate = later(ACCESS_MS, until)
      await writer.update(Key.name, key.KeyID, { Digest: digestOf(access), RefreshDigest: digestOf(refresh), ExpiresDate, ...nextRevision(key, writer.now()) })
      return { access, refresh, expiresIn: secondsUntil(ExpiresDate), scopes: key.Scopes }
    })
    if (typeof outcome === 'string') throw invalid(outcome)
    return outcome
  }

  /** A token for the holder of a key, which ends with that key. */
  async function issue(caller: Caller, keyId: string, scopes: readonly string[], resource: string, requestId: string): Promise<Issued> {
    const access = newKey()
    const ExpiresDate = later(ACCESS_MS, caller.expires)
    await store.write(caller.workspace.number, async (writer) => {
      const parent = await getRecord(writer, Key, keyId)
      if (!parent || parent.RevokedDate !== null || parent.Kind !== null)
        throw new OAuthError('invalid_client', 'The client_secret is a key that was created for a program and is not revoked.')
      const key = newRecord(Key, writer.newId(), {
        UserID: caller.userId,
        Label: parent.Label,
        Kind: 'token',
        ClientID: keyId,
        Resource: resource,
        Scopes: scopes,
        Confirm: parent.Confirm,
        ExpiresDate,
        Digest: digestOf(access),
      })
      await writer.create(Key.name, key)
      await writer.appendAuditLine(lineOf(changeTo(Key, 'created', null, key), by(caller.userId, keyId, 'create_key', requestId)))
    })
    return { access, refresh: undefined, expiresIn: secondsUntil(ExpiresDate), scopes }
  }

  /** Revokes the grant of an access or refresh token of this client; any other text changes nothing. */
  async function revokeToken(clientId: string, token: string, requestId: string): Promise<void> {
    const at = await grantOf(token)
    const key = at && (await getRecord(store.reader(at.workspace), Key, at.keyId))
    if (key?.Kind === 'token' && key.ClientID === clientId) await revoke(at as Refresh, requestId)
  }

  async function grantOf(token: string): Promise<Refresh | undefined> {
    if (token.startsWith(REFRESH_PREFIX)) return refreshIn(token)
    const found = await store.keyByDigest(digestOf(token))
    return found && { workspace: found.workspace.number, keyId: found.key.KeyID as string }
  }

  const refreshIn = (token: string) =>
    token.startsWith(REFRESH_PREFIX) ? tickets.read<Refresh>('oauth refresh', token.slice(REFRESH_PREFIX.length)) : undefined

  function revoke({ workspace, keyId }: Refresh, requestId: string): Promise<void> {
    return store.write(workspace, async (writer) => {
      const key = await getRecord(writer, Key, keyId)
      if (key && key.RevokedDate === null) await revokeGrant(writer, key, { userId: key.UserID, keyId: key.KeyID }, requestId)
    })
  }

  const secondsUntil = (date: string) => Math.max(1, Math.floor((Date.parse(date) - now().getTime()) / 1000))

  return { grant, redeem, refresh, issue, revokeToken }
}

export async function revokeGrant(writer: StoreWriter, key: KeyRecord, { userId, keyId }: Pick<By, 'userId' | 'keyId'>, requestId: string): Promise<void> {
  const applied = { RevokedDate: writer.now(), ...nextRevision(key, writer.now()) }
  await writer.update(Key.name, key.KeyID, applied)
  await writer.appendAuditLine(lineOf(changeTo(Key, 'revoked', key, { ...key, ...applied }), by(userId, keyId, 'revoke_key', requestId)))
}

const invalid = (message: string) => new OAuthError('invalid_grant', message)

const by = (userId: string, keyId: string | null, operation: string, requestId: string): By => ({
  userId,
  keyId,
  transport: 'http',
  operation,
  requestId,
  idempotencyKey: null,
})
