import type { Fault } from '../../contract/errors.ts'
import type { Platform, TokenStore } from '../../platforms/platform.ts'
import type { Definition } from '../call/filters.ts'

/** What an account of a CRM is opened with. */
export interface AccountSettings {
  readonly platform: string
  readonly address: string | null
  readonly options: { readonly [name: string]: string }
  readonly tables: { readonly [type: string]: unknown } | null
  readonly secrets: { readonly [name: string]: string }
  /** Whether the configuration has its settings and secrets, under this platform and address. */
  readonly configured?: boolean
  /** Names the connection and what it is opened with. */
  readonly openedWith?: string
  /** Whether a person allows us in, in a browser. */
  readonly browser?: boolean
  /** The tokens that the account has granted, where it was authorized in a browser. */
  readonly tokens?: TokenStore | undefined
  /** Called when the CRM has let us in, and with the error when it has refused to for good. */
  readonly onSignIn?: ((refusal: Error | undefined) => void) | undefined
}

/** What an examination of an account has found. */
export interface AccountFinding {
  readonly name: string
  readonly good: boolean
  /** Whether it could be found out. */
  readonly checked: boolean
  readonly text: string
  readonly advice: string | undefined
}

/** How a person allows us into an account, in a browser: authorization code with PKCE. */
export interface AccountAuthorization {
  address(request: { readonly redirectUri: string; readonly state: string; readonly challenge: string }): string
  /** Exchanges the code that the browser has brought back for tokens. */
  exchange(answer: { readonly redirectUri: string; readonly code: string; readonly verifier: string }): Promise<GrantedTokens>
  /** Gives tokens back, where the CRM has a way to. */
  revoke(tokens: GrantedTokens): Promise<void>
}

export type GrantedTokens = NonNullable<Awaited<ReturnType<TokenStore['read']>>>

/** What is needed of an account to read its mirror while it cannot be opened. */
export interface KeptAccount extends Pick<Platform, 'account' | 'supports'> {
  /** What it was opened with: nothing else identifies it before it can be asked. */
  readonly openedWith: string
  readonly definitions: readonly Definition[]
}

/** The accounts of CRMs, as the core sees them. */
export interface Accounts {
  /** What is wrong with the settings. Sends nothing. */
  faultsOf(settings: AccountSettings): Promise<readonly Fault[]>
  /** Signs in and looks at the account. Throws CrmError: `unauthenticated` where the CRM refuses us. */
  open(settings: AccountSettings): Promise<Platform>
  /**
   * The same where it must not fail: what cannot be opened refuses calls, and is tried again. Until then it is what was kept of it. The settings may throw too, for secrets
   * that do not open.
   */
  openInAnyCase(platform: string, settings: () => AccountSettings, recall: () => Promise<KeptAccount | undefined>): Promise<Platform>
  examine(settings: AccountSettings): AsyncIterable<AccountFinding>
  /** Undefined where the CRM has no way to be allowed in a browser. */
  authorization(settings: AccountSettings): Promise<AccountAuthorization | undefined>
}
