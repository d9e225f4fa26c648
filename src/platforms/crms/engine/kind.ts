import type { LookupFunction } from 'node:net'
import type { ErrorCode } from '../../../contract/errors.ts'
import type { Retry, TokenStore, Tokens } from '../../platform.ts'
import type { CrmDriver } from './driver.ts'
import type { OptionValues } from './option-values.ts'
import type { TakeFromRateLimit } from './rate-limits.ts'
import type { ContractTables, Tables } from './tables.ts'

export type { TokenStore, Tokens } from '../../platform.ts'

/** What the configuration sets for a CRM, beside its address. */
export interface CrmOptions {
  /** No request is sent while less than so much of the account's quota is left. */
  readonly quotaFloor: number
  /** How long a request may take. */
  readonly timeoutMs: number
  /** What is for one CRM alone, by name, such as `apiVersion`. */
  readonly options: { readonly [name: string]: string }
}

/** How an account is authorized in a browser: authorization code with PKCE. */
export interface Authorization {
  /** The secrets of the app that it needs, and those that it may have. */
  readonly secrets: { readonly needed: readonly string[]; readonly optional: readonly string[] }
  /** The address at which a person allows our app in. */
  address(opening: OpenOptions, request: { readonly redirectUri: string; readonly state: string; readonly challenge: string }): string
  /** Exchanges the code that the browser has brought back. */
  exchange(opening: OpenOptions, answer: { readonly redirectUri: string; readonly code: string; readonly verifier: string }): Promise<Tokens>
  /** Gives the tokens back, where the CRM has a way to. */
  revoke?(opening: OpenOptions, tokens: Tokens): Promise<void>
}

/** What a CRM is opened with. */
export interface OpenOptions {
  /** What stands behind the name in the platform's address: an origin, or nothing. */
  readonly address: string
  readonly settings: CrmOptions
  /** By the names that the kind lists; undefined for what was not given. */
  readonly secrets: { readonly [name: string]: string | undefined }
  /** The tables as the configuration has overridden them. */
  readonly tables: Tables
  readonly retry: Retry
  /** After this long, a write that cannot be found counts as not executed. */
  readonly reconcileMs?: number
  /** How long a write whose outcome is unknown is searched for while the caller waits; 3 s unless given. */
  readonly searchMs?: number
  /** For limits that all processes of a store keep together; without it, each process keeps them alone. */
  readonly takeFromRateLimit?: TakeFromRateLimit
  /** The tokens of an account that was authorized in a browser; without it, the secrets alone say how to sign in. */
  readonly tokens?: TokenStore | undefined
  /** Called when the CRM has let us in, and with the error when it has refused to: not for an error that passes. */
  readonly onSignIn?: ((refusal: Error | undefined) => void) | undefined
  /** Resolves the names of hosts, and refuses with a DriverError those that must not be connected to; without it, Node's own. */
  readonly lookup?: LookupFunction | undefined
  /** Names all that decides which account is opened and how, so that it can be recognized before it answers; undefined where that is not needed. */
  readonly openedWith?: string | undefined
  /** Called with every request that is sent, to count them. */
  readonly onRequest?: (() => void) | undefined
}

/** One result of an examination of an account. */
export interface Examined {
  readonly name: string
  readonly good: boolean
  /** Whether it could not be found out, so that `good` says nothing. */
  readonly unchecked?: boolean
  readonly text: string
  readonly todo?: string
  /** The error that calls would fail with. */
  readonly code?: ErrorCode
}

/** Examines an account without writing to it: whether signing in works, what it may do, what is missing, how much of the quota is left. */
export type Examine = (opening: OpenOptions) => AsyncIterable<Examined>

/** One of the CRMs that can be a platform. */
export interface CrmKind {
  /** As in the platform's address and in messages. */
  readonly name: string
  readonly label: string
  /** How the address of an account looks, and whether there has to be one. */
  readonly address?: { readonly example: string; readonly isNeeded?: true }
  /** The secrets that it may be given, and what each is. */
  readonly secrets: { readonly [name: string]: string }
  /** The options that it knows, with what each means. */
  readonly options: { readonly [name: string]: string }
  /** What its options may be set to; those that are not named take any text. */
  readonly optionValues?: { readonly [name: string]: OptionValues }
  /** How an account is authorized in a browser, where the CRM has a way to. */
  readonly authorization?: Authorization
  /** Where everything lives unless the configuration says otherwise. */
  readonly tables: (options: CrmOptions['options']) => ContractTables
  /** The same as that of its drivers, for an account that could not be opened yet. */
  readonly canonicalId?: CrmDriver['canonicalId']
  /** Signs in and looks at the account. */
  readonly open: (opening: OpenOptions) => Promise<CrmDriver>
}
