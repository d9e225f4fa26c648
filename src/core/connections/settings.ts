import { Connection } from '../../contract/records/connection.ts'
import { openField } from '../access/sealed-records.ts'
import type { RecordOf } from '../call/records.ts'
import type { Service } from '../service.ts'
import type { AccountSettings } from './accounts.ts'
import { recordSignIn } from './state.ts'
import { tokenStore } from './tokens.ts'

export type Secrets = { readonly [name: string]: string }

export type StoredConnection = RecordOf<typeof Connection>

/** Names a connection and what it is opened with: whatever leads to another account makes another generation of it. */
export const openedWith = ({ ConnectionID, Generation }: Pick<StoredConnection, 'ConnectionID' | 'Generation'>): string => `${ConnectionID} ${Generation}`

/** What the account of a connection is opened with. */
export function settingsOf(service: Service, workspace: number, connection: StoredConnection): AccountSettings {
  const { ConnectionID: id, Platform, Address, Options, Tables, Configured } = connection
  return {
    platform: Platform,
    address: Address,
    options: Options ?? {},
    tables: Tables,
    secrets: secretsOf(service, workspace, connection),
    configured: Configured,
    openedWith: openedWith(connection),
    ...(hasTokens(connection) && { tokens: tokenStore(service, workspace, id) }),
    // Not awaited: calls do not wait until it is recorded. Where the store is unavailable, the next sign-in records it.
    onSignIn: (refusal) => void recordSignIn(service, workspace, id, refusal).catch(() => {}),
  }
}

export function secretsOf({ vault }: Service, workspace: number, connection: StoredConnection): Secrets {
  return connection.Secrets === null ? {} : JSON.parse(openField(vault, workspace, Connection, connection, 'Secrets'))
}

/** The secret that is kept with the tokens, since the CRM may replace it. */
export const REFRESH_TOKEN = 'refreshToken'

/** Whether it signs in with tokens that may be replaced. */
export const hasTokens = ({ SignIn, SecretNames }: Pick<StoredConnection, 'SignIn' | 'SecretNames'>): boolean =>
  SignIn === 'browser' || SecretNames.includes(REFRESH_TOKEN)

/** What the input of a call, over a connection or not, is opened with. */
export function settingsIn(given: { readonly [name: string]: unknown }, secrets: Secrets): AccountSettings {
  return {
    platform: String(given.Platform),
    address: (given.Address ?? null) as string | null,
    options: (given.Options ?? {}) as AccountSettings['options'],
    tables: (given.Tables ?? null) as AccountSettings['tables'],
    secrets,
    browser: given.SignIn === 'browser',
  }
}

/** Secrets as they were entered, without the line break or space that is pasted with one. */
export const enteredSecrets = (given: unknown): Secrets =>
  Object.fromEntries(Object.entries(Object(given) as Secrets).map(([name, value]) => [name, value.trim()]))

/** The secrets as they are stored. The refresh token is kept with the tokens, since the CRM may replace it. */
export function secretFields({ [REFRESH_TOKEN]: refreshToken, ...secrets }: Secrets): { readonly Secrets: string; readonly SecretNames: string[] } {
  return { Secrets: JSON.stringify(secrets), SecretNames: [...Object.keys(secrets), ...(refreshToken === undefined ? [] : [REFRESH_TOKEN])] }
}
